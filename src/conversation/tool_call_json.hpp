#pragma once

#include "tandem/server.hpp"

#include <string>

namespace tandem::wire {

/// The call in the format of the Hermes and Qwen model families: {"name": "…", "arguments": {…}}.
/// The arguments are unchanged; empty ones become {}, and ones that are not JSON become a JSON
/// string.
std::string format_tool_call(const tool_call& call);

}  // namespace tandem::wire
