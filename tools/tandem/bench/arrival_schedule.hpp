#pragma once

#include "tandem/duration.hpp"

#include <cstdint>
#include <optional>
#include <random>

namespace tandem::command {

/// Distribution of the start times of turns in an open loop.
enum class arrival_distribution {
    poisson,  ///< at random, as if callers were independent
    even,     ///< at equal intervals
};

/// The load of a run. All times are relative to the start of the run.
struct load_profile {
    /// New turns per second, independent of earlier turns (open loop). Unset means a closed loop:
    /// each conversation begins its next turn when the previous one has ended.
    std::optional<double> rate{};
    arrival_distribution spread = arrival_distribution::poisson;
    /// Limits of the run; unset = unlimited.
    std::optional<int> turns{};
    std::optional<duration> time{};
};

/// Plans the start time of each turn. The same rules always produce the same plan. Pure; not
/// thread-safe.
class arrival_schedule {
 public:
    explicit arrival_schedule(load_profile rules);

    /// Returns the start time of the next turn, or nothing once no further turn begins. Measure
    /// latencies from this time even if it has already passed: the turn is late because the server
    /// is slow. In a closed loop, the time is always `now`.
    std::optional<duration> take_next_start(duration now);
    /// Returns how many turns of an open loop were due before `now` but did not begin. Call this at
    /// the end of the run.
    std::int64_t count_missed(duration now);

 private:
    bool has_more(duration due) const noexcept;
    duration next_gap();

    load_profile rules_;
    int taken_ = 0;
    duration due_{};
    std::mt19937_64 dice_{20'240'229};
};

}  // namespace tandem::command
