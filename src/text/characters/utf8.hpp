#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// UTF-8 as defined by table 3-7 of the Unicode standard. No function here throws on invalid bytes
// or reads past the end of a view. The public validation functions are in tandem/utf8.hpp.
namespace tandem::text {

/// U+FFFD, which replaces invalid bytes.
inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

/// One decoding step.
struct decoded_character {
    char32_t character = 0;  ///< U+FFFD for invalid bytes
    std::size_t bytes = 0;   ///< 0 only at the end of the text
};

/// The character at the start of `text`. If its bytes are invalid, `bytes` is the length of the
/// longest prefix that could start a character, and at least 1.
decoded_character decode_first_character(std::string_view text) noexcept;

/// The last character of `text`. If the text ends with invalid bytes, only the last byte is read.
decoded_character decode_last_character(std::string_view text) noexcept;

/// Offset of the first byte that is not part of a complete character; npos if `text` is valid.
std::size_t find_invalid_utf8(std::string_view text) noexcept;

/// Number of bytes at the end of `text` that form an incomplete but valid start of a character: 0
/// to 3.
std::size_t incomplete_suffix(std::string_view text) noexcept;

/// Appends one character. Precondition: `c` is a Unicode scalar value.
void append_utf8(std::string& out, char32_t c);

/// Number of characters in the valid UTF-8 `text`.
std::size_t count_characters(std::string_view text) noexcept;

/// The last character boundary of the valid UTF-8 `text` at or before `offset`.
std::size_t floor_to_character(std::string_view text, std::size_t offset) noexcept;

}  // namespace tandem::text
