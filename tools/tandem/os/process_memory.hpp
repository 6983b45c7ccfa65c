#pragma once

#include <cstdint>

namespace tandem::command {

/// Returns the resident memory (RSS) of this process in bytes; 0 if unavailable.
std::int64_t resident_bytes();

}  // namespace tandem::command
