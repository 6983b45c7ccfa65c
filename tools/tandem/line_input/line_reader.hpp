#pragma once

#include "line_input/line_source.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace tandem::command {

/// Reads lines for an event loop on its own thread. Asynchronous reads from a terminal would need
/// non-blocking mode, which affects all programs that share the terminal.
class line_reader final : public line_source {
 public:
    enum class reads {
        lines,
        typed_lines,  ///< from a terminal, without control characters
        bytes,        ///< any available bytes instead of a line
    };
    /// The caller keeps ownership of `fd`.
    line_reader(boost::asio::any_io_executor executor, int fd, reads what);
    ~line_reader() override;

    void on_line(std::function<void(read_line)> f) override { on_line_ = std::move(f); }
    /// The handler of on_line() runs on `executor`.
    void request_line() override;

 private:
    void read_lines_on_thread(int fd);
    void make_line(read_line& read) const;
    bool wait_until_asked();

    boost::asio::any_io_executor executor_;
    reads what_;
    std::function<void(read_line)> on_line_;
    int stop_fd_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int asked_ = 0;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace tandem::command
