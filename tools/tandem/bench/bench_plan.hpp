#pragma once

#include "tandem/duration.hpp"

#include <cstdint>
#include <optional>
#include <random>

namespace tandem::command {

/// How new turns are spread over the time of an open loop.
enum class arrivals {
    poisson,  ///< as of callers who know nothing of each other
    even,     ///< at equal distances
};

/// The load of a run. All times count from its start.
struct load_rules {
    /// New turns a second, whatever becomes of those before (open loop). Nothing = a closed loop:
    /// each conversation begins its next turn when the one before has ended.
    std::optional<double> rate{};
    arrivals spread = arrivals::poisson;
    /// Bounds of the run; what is not set does not bound it.
    std::optional<int> turns{};
    std::optional<duration> time{};
};

/// When which turn of a run begins. The plan of the same rules is always the same. Pure; not
/// thread-safe.
class load_plan {
 public:
    explicit load_plan(load_rules rules);

    /// When the next turn is to begin, which may be over already: its lateness counts against the
    /// server. In a closed loop that is always now. Nothing once no further turn begins.
    std::optional<duration> take(duration now);
    /// Of an open loop that has ended: turns whose time had come, and that did not begin.
    std::int64_t missed(duration now);

 private:
    bool has_more(duration due) const noexcept;
    duration next_gap();

    load_rules rules_;
    int taken_ = 0;
    duration due_{};
    std::mt19937_64 dice_{20'240'229};
};

}  // namespace tandem::command
