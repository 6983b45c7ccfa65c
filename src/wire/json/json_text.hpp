#pragma once

#include "wire/json/json.hpp"
#include "wire/json/token_event.hpp"

#include <span>
#include <string>
#include <string_view>

// Pieces of JSON text, for bodies that may be large. For the sources of this room alone.
namespace tandem::wire {

/// `value` as text. Bytes that are not UTF-8 are replaced, so that this does not throw.
std::string dumped(const json& value);

/// JSON `text` without its white space, and its members in their order; "null" if it is no JSON.
std::string compacted(std::string_view text);

/// Appends `text` as a JSON string. The members of an object, each after a comma; nothing of what
/// is no object.
void append_members(std::string_view object, std::string& out);
void append_string(std::string_view text, std::string& out);

/// Appends `ids` with commas between them and no brackets.
void append_ids(std::span<const token_id> ids, std::string& out);

}  // namespace tandem::wire
