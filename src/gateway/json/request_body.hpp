#pragma once

#include "gateway/json/api_error.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

// For the sources of this room that read requests.
namespace tandem::gateway {

/// How deep a body's values may be nested; one that is deeper is refused.
inline constexpr int max_body_depth = 64;

/// Values and keys in a body, and keys of one object: one with more is refused. So a hostile body
/// takes some 0.3 s and 100 MiB to read (measured).
inline constexpr std::size_t max_body_values = 200'000;
inline constexpr std::size_t max_object_keys = 1'024;

/// Reads `body` as one JSON object, whose members keep their order: models write the members of a
/// schema in the order in which it has them. Gives an error of status 400, or 413 for a body of
/// more than `max_bytes`, and leaves `out` as it was then. Throws std::bad_alloc only.
std::optional<api_error> parse_body(std::string_view body, std::size_t max_bytes,
                                    nlohmann::ordered_json& out);

}  // namespace tandem::gateway
