#pragma once

#include "tandem/duration.hpp"

#include <chrono>

namespace tandem {

/// Pure code receives time points as arguments; only the shells read a clock.
using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

/// The due time of a timer that is not armed.
inline constexpr time_point never = time_point::max();

constexpr double to_seconds(duration d) noexcept {
    return std::chrono::duration<double>(d).count();
}

}  // namespace tandem
