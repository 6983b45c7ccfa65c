#pragma once

#include <optional>
#include <string>
#include <string_view>

// A server may end the text of an event inside a character, and send the remaining bytes with the
// next event. The JSON parser rejects such bytes, so they are encoded as characters that no text
// contains.
namespace tandem::wire {

/// Converts JSON text that is not UTF-8 into text that is: each stray byte becomes a character.
/// Returns nullopt if `json` has escapes that could denote such a character, because
/// unescape_invalid_utf8() would take them for bytes.
std::optional<std::string> escape_invalid_utf8(std::string_view json);

/// Restores the bytes in a string from such JSON text.
std::string unescape_invalid_utf8(std::string_view text);

}  // namespace tandem::wire
