#pragma once

#include <cstdint>

namespace tandem {

/// Hashes a number so that even consecutive numbers spread over the whole range. The result is the
/// same on every machine. This is the output function of SplitMix64.
constexpr std::uint64_t mix_bits(std::uint64_t x) noexcept {
    x += 0x9E3779B97F4A7C15;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB;
    return x ^ (x >> 31);
}

}  // namespace tandem
