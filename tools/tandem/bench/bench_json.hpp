#pragma once

#include "bench/bench_report.hpp"

#include <string>

namespace tandem::command {

/// The report for programs: one JSON object in one line. Times are in ms; those of which there was
/// none are null.
std::string bench_json(const bench_report& report);

}  // namespace tandem::command
