#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>

namespace tandem::command {

/// Calls a function immediately and then periodically, and keeps the loop running until stop(). To
/// be used on the loop's thread, and destroyed only after the loop has ended.
class repeating_timer {
 public:
    repeating_timer(boost::asio::io_context& loop, std::chrono::milliseconds interval,
                    std::function<void()> call);

    void start();
    /// No call starts after this.
    void stop();

 private:
    void call_and_wait();

    boost::asio::steady_timer timer_;
    std::chrono::milliseconds interval_;
    std::function<void()> call_;
    bool is_running_ = false;
};

}  // namespace tandem::command
