#pragma once

#include "base/time.hpp"

namespace tandem::detail {

/// The current time. Only shells call this; all other code receives the time.
inline time_point now() {
    return std::chrono::steady_clock::now();
}

}  // namespace tandem::detail
