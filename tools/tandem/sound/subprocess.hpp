#pragma once

#include "base/time.hpp"
#include "os/coroutines.hpp"

#include "tandem/duration.hpp"
#include "tandem/error.hpp"

#include <boost/asio/any_io_executor.hpp>
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

/// The result of a program.
struct process_result {
    /// Its output on stdout.
    std::string out{};
    /// Why the program failed: the last line of its stderr, or its exit status. Empty = success.
    std::string fault{};
    time_point at{};
};

struct process_limits {
    duration time{};
    /// Maximum size of its output on stdout.
    std::size_t out_bytes = std::size_t{64} << 20;
};

/// Runs a program once with text on stdin, and limits its time and output. The program has its own
/// process group: Ctrl-C does not reach it, and killing the program also kills its children. The
/// caller's process must ignore SIGPIPE. Owned by shared_ptr; to be used on one thread.
class subprocess : public std::enable_shared_from_this<subprocess> {
 public:
    /// `args` starts with the program name, which is looked up in PATH.
    subprocess(boost::asio::any_io_executor executor, std::vector<std::string> args,
               std::string input);
    ~subprocess();

    /// Starts the program. Must be called once, before the other members.
    void start(process_limits limits);
    /// Waits for the end of the program. Only one caller may wait at a time.
    awaitable<process_result> wait();
    /// Kills the program.
    void stop();
    bool was_stopped() const noexcept { return stopped_; }

 private:
    using descriptor = boost::asio::posix::stream_descriptor;

    // The ends of a pipe. The parent closes the child's ends after the spawn.
    struct pipe_ends {
        int read = -1;
        int write = -1;
    };

    // Returns the errno of a failure; 0 = started.
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
    process_limits limits_;
    descriptor in_;
    descriptor out_;
    descriptor err_;
    boost::asio::signal_set child_signals_;
    boost::asio::steady_timer limit_timer_;  // limits the run, then reading after the exit
    boost::asio::steady_timer ended_timer_;  // end() cancels it to wake wait()
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
    std::string own_fault_;  // why the start failed, or the exceeded limit
};

bool is_on_path(const std::string& program);

}  // namespace tandem::command
