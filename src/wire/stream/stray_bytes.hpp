#pragma once

#include <optional>
#include <string>
#include <string_view>

// A server may end the text of an event inside a character, and send the rest with the next one.
// The JSON parser takes no such bytes, so they pass it in the guise of characters that no text has.
namespace tandem::wire {

/// JSON text that is not UTF-8 as text that is: each stray byte becomes a character of its own.
/// None if `json` has escapes that might stand for such a character.
std::optional<std::string> disguised(std::string_view json);

/// Gives the strings of such a text their bytes back.
std::string undisguised(std::string_view text);

}  // namespace tandem::wire
