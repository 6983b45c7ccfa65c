#pragma once

#include "wire/json/dump_json.hpp"
#include "wire/json/json.hpp"
#include "wire/json/token_event.hpp"

#include <span>
#include <string>
#include <string_view>

// Pieces of JSON text for bodies that may be large. Only for the sources of this folder.
namespace tandem::wire {

/// JSON `text` without white space, its members in their original order; "null" if it is not JSON.
std::string compact_json(std::string_view text);

/// append_members() appends the members of `object`, each after a comma, or nothing if `object` is
/// not an object. append_string() appends `text` as a JSON string.
void append_members(std::string_view object, std::string& out);
void append_string(std::string_view text, std::string& out);

/// Appends `ids`, separated by commas, without brackets.
void append_ids(std::span<const token_id> ids, std::string& out);

}  // namespace tandem::wire
