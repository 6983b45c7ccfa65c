#include "gateway/access/rate_limit.hpp"

#include <algorithm>

namespace tandem::gateway {
namespace {

constexpr duration minute = std::chrono::minutes(1);
constexpr duration max_time_until_full = std::chrono::hours(24);

}  // namespace

// Uses doubles, because the product of integers would overflow for a large `amount`; an error of a
// nanosecond is irrelevant.
duration rate_limit::cost_of(std::int64_t amount) const noexcept {
    const auto share =
        static_cast<double>(std::max<std::int64_t>(amount, 0)) / static_cast<double>(per_minute_);
    constexpr auto most = static_cast<double>(max_time_until_full.count());
    return duration(
        static_cast<std::int64_t>(std::min(share * static_cast<double>(minute.count()), most)));
}

time_point rate_limit::clamp_to_latest(time_point now) const noexcept {
    return latest_ ? std::max(now, *latest_) : now;
}

std::optional<duration> rate_limit::time_until_allowed(time_point now,
                                                       std::int64_t amount) const noexcept {
    if (per_minute_ <= 0 || !full_at_) return std::nullopt;
    const auto wait = *full_at_ - clamp_to_latest(now) + std::min(cost_of(amount), minute) - minute;
    return wait > duration{} ? std::optional(wait) : std::nullopt;
}

void rate_limit::charge(time_point now, std::int64_t amount) noexcept {
    latest_ = clamp_to_latest(now);
    if (per_minute_ <= 0) return;
    const auto full_at = std::max(full_at_.value_or(*latest_), *latest_) + cost_of(amount);
    full_at_ = std::min(full_at, *latest_ + max_time_until_full);
}

duration rate_limit::time_until_full(time_point now) const noexcept {
    return full_at_ ? std::max(*full_at_ - clamp_to_latest(now), duration{}) : duration{};
}

void rate_limit::set_time_until_full(time_point now, duration wait) noexcept {
    latest_ = clamp_to_latest(now);
    full_at_ = *latest_ + std::min(wait, max_time_until_full);
}

std::chrono::seconds retry_after(duration wait) noexcept {
    using std::chrono::seconds;
    return std::max(std::chrono::ceil<seconds>(wait), seconds(1));
}

}  // namespace tandem::gateway
