#pragma once

// What needs to be known of single characters. Letters, case and scripts come from Boost.Spirit's
// tables of the Unicode character database.
namespace tandem::text {

inline constexpr char32_t ellipsis_mark = 0x2026;
inline constexpr char32_t zero_width_joiner = 0x200D;

constexpr bool is_ascii_digit(char32_t c) noexcept {
    return c >= U'0' && c <= U'9';
}
constexpr bool is_ascii_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
bool is_digit(char32_t c) noexcept;      ///< decimal digits of all scripts
bool is_letter(char32_t c) noexcept;     ///< letters and the marks that belong to them
bool is_uppercase(char32_t c) noexcept;  ///< title case too
bool is_lowercase(char32_t c) noexcept;
char32_t to_lowercase(char32_t c) noexcept;

/// Scripts in which letters have no case, so that the first one does not show a start of a
/// sentence.
bool is_caseless_letter(char32_t c) noexcept;
/// Han, Hiragana, Katakana, Hangul and their like: written without a space after a full stop.
bool is_cjk(char32_t c) noexcept;
bool is_kana(char32_t c) noexcept;
/// Scripts that put no space between words: Han, kana, Thai, Lao, Khmer, Myanmar and their like.
bool is_written_without_spaces(char32_t c) noexcept;
/// Belongs to the character before it, such as an accent or a vowel sign.
bool is_combining_mark(char32_t c) noexcept;
bool is_armenian(char32_t c) noexcept;
bool is_greek(char32_t c) noexcept;
bool is_cyrillic(char32_t c) noexcept;

/// A mark that belongs to what stands before it: full stops, commas, closing brackets and quotes.
/// Straight quotes are, though they open too.
bool is_trailing_mark(char32_t c) noexcept;
/// One of those of East Asian scripts, which start no word as those of Latin script may (".5").
bool is_full_width_trailing_mark(char32_t c) noexcept;

/// Whether writers close a sentence with it: faces, hands, hearts. Flags and things may be words.
bool is_emoji_of_feeling(char32_t c) noexcept;
/// Those of them that people write for "love".
bool is_heart(char32_t c) noexcept;
bool is_currency(char32_t c) noexcept;

}  // namespace tandem::text
