#pragma once

#include "tandem/server.hpp"

#include <string>

namespace tandem::wire {

/// The call as models of the Hermes and Qwen families write one: {"name": "…", "arguments": {…}}.
/// The arguments stay as they are; where there are none they are {}, and where they are no JSON
/// they become a JSON string.
std::string tool_call_text(const tool_call& call);

}  // namespace tandem::wire
