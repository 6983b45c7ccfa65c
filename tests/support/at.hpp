#pragma once

#include "base/time.hpp"

#include <chrono>

namespace tandem::test {

/// Returns the time `since_start` after a fixed start time.
constexpr time_point at(duration since_start) {
    return time_point(since_start + std::chrono::hours(1));
}

}  // namespace tandem::test
