#pragma once

#include "gateway/adapters/adapter_set.hpp"

#include <optional>
#include <string_view>

namespace tandem::command {

/// Reads `NAME=ID` or `NAME=ID@MODEL`, as --adapter has it; nothing if it is none of them. Whether
/// name and id can be used is not looked at.
std::optional<gateway::allowed_adapter> parse_adapter(std::string_view text);

}  // namespace tandem::command
