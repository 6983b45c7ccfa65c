#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace tandem::test {

/// Reads a number, such as a seed to repeat or a number of runs, from the environment.
inline std::uint64_t number_from_environment(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text ? std::stoull(text) : otherwise;
}

/// The number of runs of a random test: TANDEM_RANDOM_PERCENT of `full`, by default all.
inline std::uint64_t random_runs(std::uint64_t full) {
    return full * number_from_environment("TANDEM_RANDOM_PERCENT", 100) / 100;
}

}  // namespace tandem::test
