#pragma once

#include "bench/bench_report.hpp"

#include <string>

namespace tandem::command {

/// The report for people, at most 80 columns wide except the names of servers.
std::string bench_screen(const bench_report& report, bool color);

/// "45 µs", "1.2 ms", "3.40 s": three digits, or a little more.
std::string latency_text(double ms);

}  // namespace tandem::command
