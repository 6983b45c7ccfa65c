#pragma once

#include "bench/bench_report.hpp"
#include "bench/capacity_report.hpp"

#include <string>

namespace tandem::command {

/// Returns the machine-readable report: one JSON object on one line. Times are in ms, or null if
/// there are no samples.
std::string bench_json(const bench_report& report);

/// Return one JSON object on one line, like bench_json(): for a step of a capacity search, and for
/// its result.
std::string capacity_step_json(const capacity_step& s, const latency_limits& limits);
std::string capacity_json(const capacity_report& report);

}  // namespace tandem::command
