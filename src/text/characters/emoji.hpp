#pragma once

#include <cstddef>
#include <string_view>

namespace tandem::text {

/// Unicode's Extended_Pictographic: emoji, what may become one, and some signs.
bool is_pictograph(char32_t c) noexcept;

/// A pictograph that is read as text unless a variation selector makes it an emoji, such as the
/// signs of copyright and trade mark, and the sharp of music.
bool is_text_sign(char32_t c) noexcept;

/// What changes an emoji before it: presentation, skin color, key cap, the tags of a flag.
bool is_emoji_variation(char32_t c) noexcept;

/// A part of an emoji: a picture, a letter of a flag, what changes or joins them. No text sign.
bool is_emoji_part(char32_t c) noexcept;

/// Bytes of the emoji that `text` starts with, with what changes it and a joiner after it; 0 if
/// there is none. Joined emoji count one by one, and so do the letters of a flag.
std::size_t first_emoji(std::string_view text) noexcept;

}  // namespace tandem::text
