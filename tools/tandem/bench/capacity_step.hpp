#pragma once

#include "bench/bench_totals.hpp"
#include "run/latency_histogram.hpp"

#include "tandem/duration.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace tandem::command {

/// The limits that a server keeps for each number of callers that it carries.
struct capacity_limits {
    duration first_chunk = std::chrono::seconds(1);  ///< p95
    duration gap = std::chrono::milliseconds(100);   ///< p99
};

/// What the callers of a step met in its second half.
struct capacity_step {
    int callers = 0;
    double first_chunk_p95 = -1;  ///< in ms; -1 = nobody waited
    double gap_p99 = -1;
    std::int64_t failed = 0;
    std::int64_t tokens = 0;    ///< of the chunks that came
    double seconds = 0;         ///< length of the second half
    double speech_seconds = 0;  ///< speaking time of the chunks that came

    double tokens_per_second() const noexcept;
    /// Returns the limits that the step exceeds, as in "first chunk, gap"; empty if it holds.
    std::string exceeded(const capacity_limits& limits) const;
};

/// Accumulates the second half of a step. A wait counts when it ends; a wait that has not ended
/// counts with its age. Pure; not thread-safe.
class capacity_totals {
 public:
    using time_point = turn_times::time_point;

    /// What ended before `from` does not count.
    explicit capacity_totals(time_point from) : from_(from) {}

    /// `t`: a turn that ended at `now`.
    void add_ended(const turn_times& t, bool failed, time_point now);
    /// `t`: a turn that is running at `now`, the end of the step.
    void add_running(const turn_times& t, time_point now);
    capacity_step result(int callers, time_point now) const;

 private:
    void add_waits(const turn_times& t, time_point now);

    time_point from_;
    latency_histogram first_chunk_;
    latency_histogram gap_;
    capacity_step sums_;
};

}  // namespace tandem::command
