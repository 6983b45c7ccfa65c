#pragma once

#include "gateway/access/api_keys.hpp"

#include "tandem/config.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

// The file with a gateway's keys:
//
//     {"keys": [{"name": "reception", "sha256": "9f86…", "rights": ["generate", "read"],
//                "requests_per_minute": 120, "concurrent": 4, "models": ["talk"]}]}
//
// | field                 |                                                                  |
// |-----------------------|------------------------------------------------------------------|
// | `name`                | needed: 1 to 64 printable ASCII characters, for logs and metrics |
// | `sha256`              | needed: of the key's bytes, without a line end; 64 hex digits    |
// | `rights`              | of generate, read, metrics, admin; without it generate and read  |
// | `models`              | those that it may use; empty = all                               |
// | `priority`            | low, normal or high; without it normal                           |
// | `requests_per_minute` | 0 to 1,000,000; 0 = no bound, also below                         |
// | `tokens_per_minute`   | 0 to 1,000,000,000, of prompts and replies together              |
// | `concurrent`          | 0 to 1,000,000 replies at once                                   |
namespace tandem::gateway {

inline constexpr std::size_t max_key_file_bytes = std::size_t{1} << 20;

/// The name of those who come without a key, where none is needed. No key has it.
inline constexpr std::string_view anonymous_name = "anonymous";

/// Reads the text of a key file into `out`, which stays as it is where there is a fault: typing
/// errors in access rules must not pass, so what is not known, is there twice, or allows nothing is
/// one. All faults are named, up to 100 of them, by their path; neither keys nor hashes are
/// repeated.
std::vector<config_fault> read_api_keys(std::string_view text, api_keys& out);

}  // namespace tandem::gateway
