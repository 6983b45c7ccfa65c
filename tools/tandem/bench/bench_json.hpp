#pragma once

#include "bench/bench_report.hpp"

#include <string>

namespace tandem::command {

/// Returns the machine-readable report: one JSON object on one line. Times are in ms, or null if
/// there are no samples.
std::string bench_json(const bench_report& report);

}  // namespace tandem::command
