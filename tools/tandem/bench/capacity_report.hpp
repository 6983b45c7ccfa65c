#pragma once

#include "bench/bench_report.hpp"

#include "tandem/duration.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// A server can serve a number of callers if their latencies stay within these limits.
struct latency_limits {
    duration first_chunk = std::chrono::seconds(1);  ///< p95
    duration gap = std::chrono::milliseconds(100);   ///< p99
};

/// The figures of a step, measured in its second half.
struct capacity_step {
    int callers = 0;
    double first_chunk_p95 = -1;  ///< in ms; -1 = nobody waited
    double gap_p99 = -1;
    std::int64_t first_chunks = 0;  ///< that arrived
    std::int64_t failed = 0;
    std::int64_t tokens = 0;    ///< of the chunks that arrived
    double seconds = 0;         ///< length of the second half
    double speech_seconds = 0;  ///< speaking time of the chunks that arrived

    double tokens_per_second() const noexcept { return ratio(tokens, seconds); }
    /// Whether enough first chunks arrived for a meaningful percentile: one per caller, or 20 if
    /// there are more callers.
    bool has_enough_first_chunks() const noexcept;
    /// Whether turns failed and no chunk arrived.
    bool has_only_failures() const noexcept { return failed > 0 && tokens == 0; }
    /// Returns the limits that the step exceeds, such as "first chunk, gap"; empty if there are
    /// none.
    std::string describe_exceeded(const latency_limits& limits) const;
};

struct capacity_report {
    bench_setup setting{};
    latency_limits limits{};
    duration step_time{};
    std::vector<capacity_step> steps{};
    int callers = 0;            ///< the largest number within the limits; 0 = none
    std::optional<int> over{};  ///< the smallest number that exceeded the limits
    bench_stats figures{};      ///< of all steps, for their errors
    bool was_stopped = false;
    bool was_given_up = false;  ///< every turn of a step failed

    /// The highest token rate of any step.
    double tokens_per_second() const noexcept;
    /// The rate at which the voice consumes tokens while it speaks; 0 if nothing was
    /// spoken.
    double listener_tokens_per_second() const noexcept;
    /// The quotient of these rates: how many callers the server can supply without gaps; 0 if
    /// nothing was spoken.
    double callers_by_arithmetic() const noexcept {
        return ratio(tokens_per_second(), listener_tokens_per_second());
    }
};

}  // namespace tandem::command
