#include "reply/circuit_breaker.hpp"

#include <algorithm>
#include <utility>

namespace tandem::detail {
namespace {
constexpr duration longest_pause = std::chrono::seconds(30);
}

bool circuit_breaker::failed(time_point now, time_point sent) noexcept {
    if (last_failed_ && sent < *last_failed_) return false;
    last_failed_ = now;
    ++in_a_row_;
    if (failures_ == 0 || in_a_row_ < failures_) return false;
    const bool opens = !open_until_;
    is_trying_ = false;
    if (!opens) pause_ = std::min(2 * pause_, std::max(longest_pause, first_pause_));
    open_until_ = now + pause_;
    return opens;
}

bool circuit_breaker::succeeded() noexcept {
    in_a_row_ = 0;
    is_trying_ = false;
    pause_ = first_pause_;
    return std::exchange(open_until_, std::nullopt).has_value();
}

void circuit_breaker::not_reached(time_point now) noexcept {
    if (std::exchange(is_trying_, false)) open_until_ = now;
}

void circuit_breaker::sent(time_point now) noexcept {
    if (!open_until_) return;
    is_trying_ = true;
    open_until_ = now + pause_;
}

}  // namespace tandem::detail
