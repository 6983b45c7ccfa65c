#pragma once

#include <cstdint>

namespace tandem::command {

/// Bytes of this process that are in memory now (RSS); 0 where the system does not tell.
std::int64_t resident_bytes();

}  // namespace tandem::command
