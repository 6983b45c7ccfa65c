#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// UTF-8 as table 3-7 of the Unicode standard defines it. No function here throws on bad bytes or
// reads past the end of a view. What makes bytes valid is public: tandem/utf8.hpp.
namespace tandem::text {

/// U+FFFD, which stands for bytes that are no character.
inline constexpr std::string_view replacement_character = "\xEF\xBF\xBD";

/// One step through a text.
struct decoded {
    char32_t character = 0;  ///< U+FFFD for bytes that are none
    std::size_t bytes = 0;   ///< 0 only at the end of the text
};

/// The character at the start of `text`; for bytes that are none, the longest start of a character
/// among them (at least one byte).
decoded first_character(std::string_view text) noexcept;

/// The last character of `text`; for bytes that are none, one byte.
decoded last_character(std::string_view text) noexcept;

/// Offset of the first byte that is not part of a whole character; npos if `text` is valid.
std::size_t find_invalid(std::string_view text) noexcept;

/// Bytes at the end of `text` that are the start of a character and may still become one: 0 to 3.
std::size_t incomplete_suffix(std::string_view text) noexcept;

/// Appends one character. Precondition: it is one.
void append_utf8(std::string& out, char32_t c);

/// How many characters the valid `text` has.
std::size_t count_characters(std::string_view text) noexcept;

/// The largest offset up to `offset` at which a character of the valid `text` starts or ends.
std::size_t floor_to_character(std::string_view text, std::size_t offset) noexcept;

}  // namespace tandem::text
