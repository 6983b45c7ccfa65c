#pragma once

#include "discovery/server_sources.hpp"

#include <string>
#include <string_view>

namespace tandem::command {

/// Parses a file of servers: a URL a line, without empty lines and those that start with `#`. A
/// faulty or missing URL is a fault.
source_answer parse_server_file(std::string_view text);

/// Reads such a file.
source_answer read_server_file(const std::string& path);

}  // namespace tandem::command
