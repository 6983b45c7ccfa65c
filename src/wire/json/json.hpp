#pragma once

#include <nlohmann/json.hpp>

// Only for source files, and for headers that only they include.
namespace tandem::wire {

using nlohmann::json;

/// Maximum nesting of values in a server's answer.
inline constexpr int max_depth = 64;

}  // namespace tandem::wire
