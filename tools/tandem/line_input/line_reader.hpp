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
    enum class read_unit {
        lines,
        typed_lines,  ///< lines typed in a terminal; control characters are removed
        bytes,        ///< whatever bytes are available
    };
    /// The caller keeps ownership of `fd`.
    line_reader(boost::asio::any_io_executor executor, int fd, read_unit what);
    ~line_reader() override;

    void on_line(std::function<void(line_read_result)> f) override { on_line_ = std::move(f); }
    /// The handler of on_line() runs on `executor`.
    void request_line() override;

 private:
    void read_lines_on_thread(int fd);
    void make_line(line_read_result& read) const;
    bool wait_until_asked();

    boost::asio::any_io_executor executor_;
    read_unit what_;
    std::function<void(line_read_result)> on_line_;
    int stop_fd_;
    std::mutex mutex_;
    std::condition_variable changed_;
    int asked_ = 0;
    bool stopping_ = false;
    std::thread thread_;
};

}  // namespace tandem::command
