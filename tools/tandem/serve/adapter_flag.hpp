#pragma once

#include "gateway/adapters/adapter_set.hpp"

#include <optional>
#include <string_view>

namespace tandem::command {

/// Parses `NAME=ID` or `NAME=ID@MODEL`, the value of --adapter. Returns nothing for other formats.
/// Does not validate name and id.
std::optional<gateway::allowed_adapter> parse_adapter(std::string_view text);

}  // namespace tandem::command
