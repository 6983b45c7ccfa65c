#pragma once

#include "base/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace tandem::gateway {

/// A bucket that holds what is allowed in a minute, and is filled up evenly: all of a minute may be
/// taken at once, then as much as has come back. Pure; a time before an earlier one counts as that
/// one, so that a clock that goes back gives nothing twice.
class rate_limit {
 public:
    /// 0 or less = no bound.
    explicit rate_limit(std::int64_t per_minute = 0) noexcept : per_minute_(per_minute) {}

    /// Another bound for what has been taken so far: a share of the old minute is the same share of
    /// the new one.
    void set_per_minute(std::int64_t per_minute) noexcept { per_minute_ = per_minute; }
    std::int64_t per_minute() const noexcept { return per_minute_; }

    /// How long until take() would allow it; nothing if it would now.
    std::optional<duration> wait(time_point now, std::int64_t amount = 1) const noexcept;
    /// Takes `amount`, or nothing and returns how long to wait. More than a minute's worth is
    /// allowed when the bucket is full, and leaves a debt.
    std::optional<duration> take(time_point now, std::int64_t amount = 1) noexcept;
    /// Takes what is known only afterwards, also what is not there: wait() returns how long the
    /// debt lasts, a day at most.
    void charge(time_point now, std::int64_t amount) noexcept;

 private:
    duration cost_of(std::int64_t amount) const noexcept;
    time_point at_least(time_point now) const noexcept;

    std::int64_t per_minute_;
    /// When the bucket is full again, which says all of it; nothing before the first use.
    std::optional<time_point> full_at_{};
    std::optional<time_point> latest_{};
};

/// For a Retry-After header: whole seconds, rounded up, and at least 1.
std::chrono::seconds retry_after(duration wait) noexcept;

}  // namespace tandem::gateway
