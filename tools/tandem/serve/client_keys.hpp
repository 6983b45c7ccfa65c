#pragma once

#include "gateway/access/api_keys.hpp"

#include <string>
#include <string_view>
#include <vector>

// Client keys of the gateway, as the commands read and write them.
namespace tandem::command {

/// Reads a key file (gateway/access/api_key_file.hpp) into `keys`. Returns the faults, each with
/// the file name; on a fault, `keys` is unchanged.
std::vector<std::string> read_key_file(const std::string& path, gateway::api_keys& keys);

/// Returns the entry of a key file: `{"name":"reception","sha256":"9f86…"}`.
std::string format_key_entry(std::string_view name, std::string_view sha256);

/// Returns why the name of a key is invalid, such as "must be 1 to 64 printable ASCII characters";
/// empty if it is valid.
std::string key_name_fault(std::string_view name);

}  // namespace tandem::command
