#pragma once

#include <cstddef>
#include <string_view>

namespace tandem::text {

/// Unicode's Extended_Pictographic: emoji, code points reserved for emoji, and some signs.
bool is_pictograph(char32_t c) noexcept;

/// A pictograph that is text unless a variation selector makes it an emoji, such as the copyright
/// and trademark signs and the musical sharp.
bool is_text_style_pictograph(char32_t c) noexcept;

/// A character that modifies the preceding emoji: presentation, skin color, keycap, flag tags.
bool is_emoji_modifier(char32_t c) noexcept;

/// A part of an emoji: a pictograph, a flag letter, a modifier or a joiner. Excludes text signs.
bool is_emoji_part(char32_t c) noexcept;

/// Bytes of the emoji at the start of `text`, including its modifiers and a joiner after it; 0 if
/// there is none. A joined emoji or a flag is read in several calls: one for each part or letter.
std::size_t measure_leading_emoji(std::string_view text) noexcept;

}  // namespace tandem::text
