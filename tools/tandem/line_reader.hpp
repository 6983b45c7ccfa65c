#pragma once

#include "base/time.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace tandem::command {

/// What was read when a line was asked for.
struct read_line {
    enum class kind { line, too_long, end };
    kind what = kind::end;
    std::string text{};
    /// In the input, from 1.
    int number = 0;
    /// When its newline was read.
    time_point at{};
    /// Why reading ended, in words; empty at the end of the input.
    std::string fault{};
};

/// Reads lines for an event loop, on a thread of its own: a terminal that the loop waited for would
/// have to be switched to another mode, for all programs that use it.
class line_reader {
 public:
    static constexpr std::size_t max_line_bytes = std::size_t{64} << 10;

    /// `on_line` is called on `executor`, once for each next(). `fd` stays the caller's.
    line_reader(boost::asio::any_io_executor executor, int fd,
                std::function<void(read_line)> on_line);
    ~line_reader();
    line_reader(const line_reader&) = delete;
    line_reader& operator=(const line_reader&) = delete;

    /// Reads one line more.
    void next();

 private:
    void work(int fd);
    bool wait_until_asked();

    boost::asio::any_io_executor executor_;
    std::function<void(read_line)> on_line_;
    int stop_fd_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int asked_ = 0;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace tandem::command
