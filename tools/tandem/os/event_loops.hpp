#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>

#include <cstddef>
#include <deque>
#include <exception>
#include <mutex>
#include <vector>

namespace tandem::command {

/// Event loops that run together, the first one on the thread of run(), each other one on a thread
/// of its own.
class event_loops {
 public:
    /// At least one.
    explicit event_loops(std::size_t count);

    boost::asio::io_context& first() noexcept { return loops_.front(); }
    std::vector<boost::asio::any_io_executor> executors();

    /// Until stop(), or an exception in one of them, which is thrown here when all have ended.
    void run();
    /// From any thread.
    void stop();
    /// Has them do, on this thread, what is left for them to do at once; for what they leave behind
    /// when run() has returned, as others of them may have a part in it.
    void finish();

 private:
    static std::size_t poll_one(boost::asio::io_context& loop) noexcept;
    void run_one(boost::asio::io_context& loop);

    std::deque<boost::asio::io_context> loops_;
    std::mutex mutex_;
    std::exception_ptr failure_;
};

}  // namespace tandem::command
