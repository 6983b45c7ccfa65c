#pragma once

#include "bench/bench_report.hpp"

#include <string>

namespace tandem::command {

/// The human-readable report, at most 80 columns wide except for server names.
std::string format_bench_report(const bench_report& report, bool color);

/// Formats a latency as "45 µs", "1.2 ms" or "3.40 s", with about three digits.
std::string format_latency(double ms);

}  // namespace tandem::command
