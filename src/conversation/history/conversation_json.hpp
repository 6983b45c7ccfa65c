#pragma once

#include "tandem/config.hpp"
#include "tandem/saved_conversation.hpp"
#include "tandem/server.hpp"

#include <optional>
#include <string>
#include <string_view>

// A conversation as JSON text.
namespace tandem::wire {

/// The call in the format of the Hermes and Qwen model families: {"name": "…", "arguments": {…}}.
/// The arguments are unchanged; empty arguments become {}, and arguments that are not JSON become a
/// JSON string.
std::string format_tool_call(const tool_call& call);

/// Writes the newest version of the format.
std::string serialize_conversation(const saved_conversation& c);

/// Reads such JSON text, and checks types and bounds strictly. Ignores unknown fields and uses
/// defaults for missing ones. Returns the first fault with the path of the field, such as
/// `exchanges[2].messages[0].role`; `out` is then partly filled. Does not check the ranges of the
/// options.
std::optional<config_fault> read_conversation(std::string_view text, saved_conversation& out);

}  // namespace tandem::wire
