#pragma once

#include <chrono>

namespace tandem {
inline namespace v0 {

/// A length of time. Every coarser std::chrono duration converts to it.
using duration = std::chrono::nanoseconds;

/// The time in milliseconds.
inline double to_ms(duration d) noexcept {
    return static_cast<double>(d.count()) / 1e6;
}

}  // namespace v0
}  // namespace tandem
