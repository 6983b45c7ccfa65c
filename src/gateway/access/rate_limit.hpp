#pragma once

#include "base/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace tandem::gateway {

/// A token bucket that holds one minute's allowance and refills evenly: callers may take a full
/// minute's allowance in one go, then as much as has been refilled. Pure. If the clock steps back,
/// nothing is refilled until the clock has caught up, so that no time counts twice.
class rate_limit {
 public:
    /// 0 or less = unlimited.
    explicit rate_limit(std::int64_t per_minute = 0) noexcept : per_minute_(per_minute) {}

    /// Sets another limit. Usage so far scales with the limit: half of the old allowance becomes
    /// half of the new one.
    void set_per_minute(std::int64_t per_minute) noexcept { per_minute_ = per_minute; }

    /// How long until `amount` may be taken; nullopt if it may be taken now. A full bucket allows
    /// even an `amount` above a minute's allowance, which leaves a debt.
    std::optional<duration> time_until_allowed(time_point now,
                                               std::int64_t amount = 1) const noexcept;
    /// Takes an amount, even if the bucket holds less. The resulting debt lasts at most a day.
    void charge(time_point now, std::int64_t amount) noexcept;

    /// How long until the bucket is full.
    duration time_until_full(time_point now) const noexcept;
    /// Replaces the usage so far, for example by the usage of all gateways of a cluster.
    void set_time_until_full(time_point now, duration wait) noexcept;

 private:
    duration cost_of(std::int64_t amount) const noexcept;
    time_point clamp_to_latest(time_point now) const noexcept;

    std::int64_t per_minute_;
    /// When the bucket will be full again. This time is the bucket's entire state; nullopt before
    /// the first use.
    std::optional<time_point> full_at_{};
    std::optional<time_point> latest_{};
};

/// Value of a Retry-After header: whole seconds, rounded up, at least 1.
std::chrono::seconds retry_after(duration wait) noexcept;

}  // namespace tandem::gateway
