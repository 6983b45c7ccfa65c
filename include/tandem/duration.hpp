#pragma once

#include <chrono>

namespace tandem {

/// A length of time. Any duration of std::chrono converts to it that is a whole number of it.
using duration = std::chrono::nanoseconds;

/// In milliseconds, as figures and logs have it.
inline double to_ms(duration d) noexcept {
    return static_cast<double>(d.count()) / 1e6;
}

}  // namespace tandem
