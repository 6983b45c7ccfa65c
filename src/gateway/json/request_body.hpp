#pragma once

#include "gateway/json/api_error.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

// Internal to the gateway's request parsers.
namespace tandem::gateway {

/// Maximum nesting depth of a body.
inline constexpr int max_body_depth = 64;

/// Maximum number of values and keys in a body, and of keys in one object. These limits bound the
/// cost of a hostile body to about 0.3 s and 100 MiB (measured).
inline constexpr std::size_t max_body_values = 200'000;
inline constexpr std::size_t max_object_keys = 1'024;

/// Rejects text in which a field appears twice, because the parser would keep only one of the two.
/// Precondition: `text` is JSON within the caller's limits.
std::optional<api_error> refuse_duplicate_field(std::string_view text);

/// Parses `body` as a JSON object without duplicate fields. Keeps the order of the members, because
/// models write the members of a schema in the schema's order. On an error (400, or 413 if the body
/// exceeds `max_bytes`), `out` is unchanged. Throws only std::bad_alloc.
std::optional<api_error> parse_body(std::string_view body, std::size_t max_bytes,
                                    nlohmann::ordered_json& out);

}  // namespace tandem::gateway
