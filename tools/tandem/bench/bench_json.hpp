#pragma once

#include "bench/bench_report.hpp"
#include "bench/capacity_report.hpp"

#include <string>

namespace tandem::command {

/// Returns the machine-readable report: one JSON object on one line. Times are in ms, or null if
/// there are no samples.
std::string bench_json(const bench_report& report);

/// Return JSON in the same form for one step of a capacity search, and for the result of the
/// search.
std::string capacity_step_json(const capacity_step& s, const latency_limits& limits);
std::string capacity_json(const capacity_report& report);

}  // namespace tandem::command
