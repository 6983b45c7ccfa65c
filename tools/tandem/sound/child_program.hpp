#pragma once

#include "base/time.hpp"

#include "tandem/duration.hpp"
#include "tandem/error.hpp"

// clang-format off
#include <utility>  // Boost 1.74's awaitable.hpp uses it without including it
// clang-format on

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <sys/types.h>
#include <vector>

namespace tandem::command {

/// How a program ended.
struct program_end {
    /// What it wrote to stdout.
    std::string out{};
    /// Why it is no use, in words: what it wrote to stderr, or how it ended. Empty = it did well.
    std::string fault{};
    time_point at{};
};

/// A program that gets a text on its stdin and runs once, with a limit of time and of what it may
/// write. It is a process group of its own: a Ctrl-C is not for it, and with it all that it started
/// is ended. SIGPIPE must be ignored. Held by shared_ptr; to be used on one thread.
class child_program : public std::enable_shared_from_this<child_program> {
 public:
    /// `args` begins with the program's name, which is looked for on PATH.
    child_program(boost::asio::any_io_executor executor, std::vector<std::string> args,
                  std::string input);
    ~child_program();
    child_program(const child_program&) = delete;
    child_program& operator=(const child_program&) = delete;

    /// Starts it; to be called once, before all else.
    void start(duration limit);
    /// Waits until it has ended; one may wait at a time.
    boost::asio::awaitable<program_end> wait();
    /// Kills it.
    void stop();
    bool was_stopped() const noexcept { return stopped_; }

 private:
    using descriptor = boost::asio::posix::stream_descriptor;

    // What pipes are for: the child's ends are closed once it runs.
    struct pipe_ends {
        int read = -1;
        int write = -1;
    };

    // The errno of what failed; 0 = it runs.
    int open_and_spawn();
    void watch();
    int spawn(const pipe_ends& in, const pipe_ends& out, const pipe_ends& err);
    void write_input();
    void read_out();
    void read_err();
    void wait_for_exit();
    void reap();
    void stop_reading_soon();
    void stop_reading();
    void end_if_done();
    void end();
    void kill_group() const;
    std::string fault() const;

    std::vector<std::string> args_;
    std::string input_;
    descriptor in_;
    descriptor out_;
    descriptor err_;
    boost::asio::signal_set child_signals_;
    boost::asio::steady_timer limit_timer_;  // of its life, then of its last words
    boost::asio::steady_timer ended_timer_;  // waited for until it is cancelled: the end
    std::array<char, 16384> out_part_{};
    std::array<char, 1024> err_part_{};
    std::string out_text_;
    std::string err_text_;
    pid_t pid_ = -1;
    int status_ = 0;
    bool exited_ = false;
    bool ended_ = false;
    bool stopped_ = false;
    time_point ended_at_{};
    std::string own_fault_;  // in starting it, or a limit that it passed
};

/// Whether a program of this name is on PATH.
bool is_on_path(const std::string& program);

}  // namespace tandem::command
