#pragma once

#include "bench/bench_report.hpp"
#include "bench/capacity_report.hpp"

#include <string>

namespace tandem::command {

/// The human-readable report, at most 80 columns wide except for server names.
std::string format_bench_report(const bench_report& report, bool color);

/// Returns the settings of a capacity search, and the headings of the table of its steps.
std::string format_capacity_head(const capacity_report& report, bool color);
/// Returns the table row of a step.
std::string format_capacity_step(const capacity_step& s, const latency_limits& limits, bool color);
/// Returns the result of the search, without the table.
std::string format_capacity_report(const capacity_report& report, bool color);

/// Formats a latency as "45 µs", "1.2 ms" or "3.40 s", with about three digits.
std::string format_latency(double ms);

}  // namespace tandem::command
