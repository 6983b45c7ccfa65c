#pragma once

#include <nlohmann/json.hpp>

// Only for the sources of this folder; no header of the folder may include it.
namespace tandem::wire {

using nlohmann::json;

/// Maximum nesting of values in a server's answer.
inline constexpr int max_depth = 64;

}  // namespace tandem::wire
