#pragma once

#include "tandem/duration.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace tandem {

/// Points in time are handed in; nothing but the shells reads a clock.
using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

/// Of two times that may not come; nothing if neither does.
inline std::optional<time_point> earlier(std::optional<time_point> a, std::optional<time_point> b) {
    if (!a || !b) return a ? a : b;
    return std::min(*a, *b);
}

}  // namespace tandem
