#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>

namespace tandem::command {

/// Calls a function at once and then at each interval, on a loop that it keeps running until it is
/// stopped. To be used on the thread of the loop, and not destroyed before the loop has ended.
class repeating_timer {
 public:
    repeating_timer(boost::asio::io_context& loop, std::chrono::milliseconds interval,
                    std::function<void()> call);

    void start();
    /// No call begins afterwards.
    void stop();

 private:
    void call_and_wait();

    boost::asio::steady_timer timer_;
    std::chrono::milliseconds interval_;
    std::function<void()> call_;
    bool is_running_ = false;
};

}  // namespace tandem::command
