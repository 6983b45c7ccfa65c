#pragma once

#include <chrono>
#include <string>

namespace tandem {

/// The time in UTC with milliseconds, in the format of RFC 3339: "2026-11-28T15:24:36.007Z".
std::string format_utc_time(std::chrono::system_clock::time_point time);

}  // namespace tandem
