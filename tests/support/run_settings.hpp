#pragma once

#include <cstdint>
#include <cstdlib>
#include <string>

namespace tandem::test {

/// What the environment says, to run one seed again or more of them.
inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text ? std::stoull(text) : otherwise;
}

}  // namespace tandem::test
