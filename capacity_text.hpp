#pragma once

#include "bench/bench_report.hpp"

#include <string>

namespace tandem::command {

/// What is printed before the first step: the setting, the limits and the head of the table.
std::string format_capacity_head(const bench_setup& setting, const capacity_report& plan,
                                 bool color);
/// A row of the table. What exceeds a limit is red.
std::string format_capacity_step(const capacity_step& step, const capacity_limits& limits,
                                 bool color);
/// What is printed after the last step. Precondition: `report.capacity`.
std::string format_capacity_result(const bench_report& report, bool color);

}  // namespace tandem::command
