#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace tandem::test {

/// Reads a number from the environment, such as a seed to repeat or a number of runs.
inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text ? std::stoull(text) : otherwise;
}

}  // namespace tandem::test
