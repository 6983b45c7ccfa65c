#pragma once

#include "tandem/duration.hpp"

#include <chrono>

namespace tandem {

/// Points in time are handed in; nothing but the shells reads a clock.
using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

inline double to_ms(duration d) noexcept {
    return static_cast<double>(d.count()) / 1e6;
}

}  // namespace tandem
