#pragma once

// Properties of single characters. Letters, case and scripts come from Boost.Spirit's tables of the
// Unicode character database.
namespace tandem::text {

inline constexpr char32_t ellipsis_mark = 0x2026;
inline constexpr char32_t zero_width_joiner = 0x200D;

constexpr char to_ascii_lowercase(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

constexpr bool is_ascii_digit(char32_t c) noexcept {
    return c >= U'0' && c <= U'9';
}
constexpr bool is_ascii_digit(char c) noexcept {
    return c >= '0' && c <= '9';
}
bool is_digit(char32_t c) noexcept;      ///< decimal digits of all scripts
bool is_letter(char32_t c) noexcept;     ///< letters, and the marks that combine with them
bool is_uppercase(char32_t c) noexcept;  ///< includes title case
bool is_lowercase(char32_t c) noexcept;
char32_t to_lowercase(char32_t c) noexcept;

/// Han, Hiragana, Katakana, Hangul and related scripts: no space follows their full stop.
bool is_cjk(char32_t c) noexcept;
bool is_kana(char32_t c) noexcept;
/// Scripts without spaces between words: Han, kana, Thai, Lao, Khmer, Myanmar and related scripts.
bool is_written_without_spaces(char32_t c) noexcept;
/// Whether `c` combines with the preceding character, as an accent or a vowel sign does.
bool is_combining_mark(char32_t c) noexcept;
bool is_armenian(char32_t c) noexcept;
bool is_greek(char32_t c) noexcept;
bool is_cyrillic(char32_t c) noexcept;

/// A mark that attaches to the preceding text: full stops, commas, closing brackets and quotes.
/// Includes straight quotes, although they can also open a quotation.
bool is_trailing_mark(char32_t c) noexcept;
/// A trailing mark of an East Asian script. Unlike a Latin one (".5"), it never starts a word.
bool is_full_width_trailing_mark(char32_t c) noexcept;

/// Emoji with which writers close a sentence: faces, hands, hearts. Excludes flags and objects,
/// which may stand for words.
bool is_emotion_emoji(char32_t c) noexcept;
/// Heart emoji, which people may write for the word "love".
bool is_heart(char32_t c) noexcept;
bool is_currency(char32_t c) noexcept;

}  // namespace tandem::text
