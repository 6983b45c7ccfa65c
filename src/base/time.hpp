#pragma once

#include "tandem/duration.hpp"

#include <chrono>

namespace tandem {

/// Points in time are handed in; nothing but the shells reads a clock.
using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

/// When something is due that is not waited for.
inline constexpr time_point never = time_point::max();

}  // namespace tandem
