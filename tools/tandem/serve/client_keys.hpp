#pragma once

#include "gateway/access/api_keys.hpp"

#include <string>
#include <string_view>
#include <vector>

// The keys of the gateway's clients, as the commands read and write them.
namespace tandem::command {

/// Reads a key file (gateway/api_key_file.hpp) into `keys`, which stay as they are where there is a
/// fault. The faults, each with the file's name.
std::vector<std::string> read_key_file(const std::string& path, gateway::api_keys& keys);

/// The entry of a key file for a key: `{"name":"reception","sha256":"9f86…"}`.
std::string key_entry(std::string_view name, std::string_view sha256);

/// What is wrong with the name of a key, as in "must be 1 to 64 printable ASCII characters"; empty
/// if it can be used.
std::string key_name_fault(std::string_view name);

}  // namespace tandem::command
