#pragma once

#include <chrono>

namespace tandem {

using duration = std::chrono::nanoseconds;

inline double to_ms(duration d) noexcept {
    return static_cast<double>(d.count()) / 1e6;
}

}  // namespace tandem
