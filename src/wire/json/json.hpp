#pragma once

#include <nlohmann/json.hpp>

// For the sources of this folder only; no header of the folder may include it.
namespace tandem::wire {

using nlohmann::json;

/// Maximum nesting of values in a server's answer.
inline constexpr int max_depth = 64;

}  // namespace tandem::wire
