#pragma once

#include "discovery/server_sources.hpp"

#include <string>
#include <string_view>

namespace tandem::command {

/// Parses a file of servers: one URL per line; ignores empty lines and lines that start with `#`.
/// An invalid URL is a fault, as is a file without URLs.
source_answer parse_server_file(std::string_view text);

source_answer read_server_file(const std::string& path);

}  // namespace tandem::command
