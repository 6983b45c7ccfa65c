#include "run/repeating_timer.hpp"

#include <utility>

namespace tandem::command {

repeating_timer::repeating_timer(boost::asio::io_context& loop, std::chrono::milliseconds interval,
                                 std::function<void()> call)
    : timer_(loop), interval_(interval), call_(std::move(call)) {}

void repeating_timer::start() {
    is_running_ = true;
    call_and_wait();
}

void repeating_timer::stop() {
    is_running_ = false;
    timer_.cancel();
}

void repeating_timer::call_and_wait() {
    call_();
    timer_.expires_after(interval_);
    timer_.async_wait([this](const boost::system::error_code&) {
        // cancel() does not affect a handler that is already queued, so only stop() ends the calls.
        if (is_running_) call_and_wait();
    });
}

}  // namespace tandem::command
