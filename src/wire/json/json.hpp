#pragma once

#include <nlohmann/json.hpp>

// For the sources of this room alone: no header of it includes this one.
namespace tandem::wire {

using nlohmann::json;

/// How deep values may be nested in an answer of a server.
inline constexpr int max_depth = 64;

}  // namespace tandem::wire
