#pragma once

#include "base/time.hpp"

#include <chrono>

namespace tandem::test {

/// A time of a test's own, `since_start` after its first one.
constexpr time_point at(duration since_start) {
    return time_point(since_start + std::chrono::hours(1));
}

}  // namespace tandem::test
