#pragma once

#include "gateway/access/api_keys.hpp"

#include "tandem/config.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

// Format of the key file:
//
//     {"keys": [{"name": "reception", "sha256": "9f86…", "rights": ["generate", "read"],
//                "requests_per_minute": 120, "concurrent": 4, "models": ["talk"]}]}
//
// | field                 |                                                                   |
// |-----------------------|-------------------------------------------------------------------|
// | `name`                | required; 1 to 64 printable ASCII characters, for logs, metrics   |
// | `sha256`              | required; hash of the key without a line end, 64 hex digits       |
// | `rights`              | subset of generate, read, metrics, admin; default: generate, read |
// | `models`              | models that the key may use; default: all                         |
// | `priority`            | low, normal or high; default: normal                              |
// | `requests_per_minute` | 0 to 1,000,000; 0 = unlimited (also in the fields below)          |
// | `tokens_per_minute`   | 0 to 1,000,000,000; prompt and reply tokens together              |
// | `concurrent`          | 0 to 1,000,000 concurrent replies                                 |
namespace tandem::gateway {

inline constexpr std::size_t max_key_file_bytes = std::size_t{1} << 20;

/// Key name of requests that need no key. A key file must not use this name.
inline constexpr std::string_view anonymous_name = "anonymous";

/// Parses a key file into `out`. On an error, `out` is unchanged. Unknown fields, duplicates and
/// empty lists are errors, because a typo in an access rule must not go unnoticed. Reports up to
/// 100 errors with their paths; messages never contain keys or hashes.
std::vector<config_fault> parse_api_keys(std::string_view text, api_keys& out);

}  // namespace tandem::gateway
