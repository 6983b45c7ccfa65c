#pragma once

#include "tandem/config.hpp"
#include "tandem/saved_conversation.hpp"

#include <optional>
#include <string>
#include <string_view>

// Saved conversations as JSON text.
namespace tandem::wire {

/// Of the newest version.
std::string conversation_text(const saved_conversation& c);

/// Reads such a text, strictly by its types and bounds; fields that it does not know are ignored,
/// and those that are missing have their defaults. Returns the first fault, with the path of the
/// field as in `exchanges[2].messages[0].role`, and leaves `out` as it was then. The ranges of the
/// options are not checked.
std::optional<config_fault> read_conversation(std::string_view text, saved_conversation& out);

}  // namespace tandem::wire
