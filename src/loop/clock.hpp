#pragma once

#include "base/time.hpp"

namespace tandem::detail {

/// For the shells only; all other code receives the time.
inline time_point now() {
    return std::chrono::steady_clock::now();
}

}  // namespace tandem::detail
