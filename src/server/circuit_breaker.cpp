#include "server/circuit_breaker.hpp"

#include <utility>

namespace tandem::detail {

bool circuit_breaker::record_failure(time_point now, time_point sent) noexcept {
    if (last_failed_ && sent < *last_failed_) return false;
    last_failed_ = now;
    ++in_a_row_;
    if (failures_ == 0 || in_a_row_ < failures_) return false;
    const bool opens = !open_until_;
    const bool decides = tried_ && *tried_ <= sent;
    if (!opens && !decides) return false;
    tried_.reset();
    open_until_ = now + pause_;
    return opens;
}

bool circuit_breaker::record_success() noexcept {
    in_a_row_ = 0;
    tried_.reset();
    return std::exchange(open_until_, std::nullopt).has_value();
}

void circuit_breaker::on_unreachable(time_point now) noexcept {
    if (std::exchange(tried_, std::nullopt)) open_until_ = now;
}

void circuit_breaker::record_request(time_point now) noexcept {
    if (!open_until_) return;
    tried_ = now;
    open_until_ = now + pause_;
}

}  // namespace tandem::detail
