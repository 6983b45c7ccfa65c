#pragma once

#include "bench/bench_report.hpp"
#include "bench/capacity_report.hpp"

#include <string>

namespace tandem::command {

/// The human-readable report, at most 80 columns wide except for server names.
std::string format_bench_report(const bench_report& report, bool color);

/// The settings of a search for the number of callers, and the head of its table of steps.
std::string format_capacity_head(const capacity_report& report, bool color);
/// The line of a step.
std::string format_capacity_step(const capacity_step& s, const latency_limits& limits, bool color);
/// The result of the search, without the head and the steps.
std::string format_capacity_report(const capacity_report& report, bool color);

/// Formats a latency as "45 µs", "1.2 ms" or "3.40 s", with about three digits.
std::string format_latency(double ms);

}  // namespace tandem::command
