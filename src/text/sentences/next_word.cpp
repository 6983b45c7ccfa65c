#include "text/sentences/next_word.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

#include <algorithm>
#include <array>

namespace tandem::text {
namespace {

using next_kind = next_word::kind;

constexpr std::u32string_view quotes = U"\"“”„«»‹›‘'*_~`";
constexpr std::u32string_view brackets = U"([{（［｛「『【《〈";
constexpr std::u32string_view bullet_marks = U"•▪◦‣·#><|";
constexpr std::u32string_view dashes = U"-–—";
constexpr std::u32string_view starting_symbols = U"¿¡+";

bool contains(std::u32string_view set, char32_t c) noexcept {
    return set.find(c) != set.npos;
}

bool is_apostrophe(char32_t c) noexcept {
    return c == '\'' || c == 0x2019;
}

next_kind kind_of(char32_t c) {
    if (is_uppercase(c)) return next_kind::upper;
    if (is_lowercase(c)) return next_kind::lower;
    if (is_digit(c)) return next_kind::digit;
    if (is_letter(c)) return next_kind::caseless;
    if (c == '.' || c == 0x2026) return next_kind::ellipsis;
    if (is_currency(c) || contains(starting_symbols, c)) return next_kind::currency;
    if (contains(bullet_marks, c)) return next_kind::bullet;
    return next_kind::other;
}

/// Reads a character that may precede the word.
bool read_opener(next_word& n, char32_t c) {
    n.quoted = n.quoted || contains(quotes, c);
    n.bracketed = n.bracketed || contains(brackets, c);
    n.dashed = n.dashed || contains(dashes, c);
    if (!contains(quotes, c) && !contains(brackets, c) && !contains(dashes, c))
        return n.what == next_kind::opener && is_white_space(c);
    n.what = next_kind::opener;
    return true;
}

void read_letter(next_word& n, char32_t c) {
    if (n.what == next_kind::lower && is_uppercase(c)) n.what = next_kind::upper;
    if (is_letter(c)) ++n.letters;
    append_utf8(n.text, is_apostrophe(c) ? U'\'' : to_lowercase(c));
}

}  // namespace

next_word parse_next_word(std::u32string_view characters) {
    next_word n;
    for (const char32_t c : characters) {
        const bool starts = n.what == next_kind::none || n.what == next_kind::opener;
        if (starts && read_opener(n, c)) continue;
        if (starts) {
            n.what = kind_of(c);
            n.initial = to_lowercase(c);
        }
        n.complete = !is_letter(c) && (starts || !is_apostrophe(c));
        n.is_initial = n.complete && c == '.' && n.letters == 1;
        if (n.complete) return n;
        read_letter(n, c);
    }
    return n;
}

bool is_never_in_name(std::string_view word) noexcept {
    constexpr std::array<std::string_view, 33> no_names{
        "the",   "this",  "that",   "they",    "there",    "then",  "she",   "what",   "when",
        "you",   "it",    "we",     "it's",    "these",    "would", "could", "should", "does",
        "don't", "can't", "didn't", "because", "before",   "after", "while", "which",  "where",
        "those", "their", "did",    "how",     "everyone", "nobody"};
    return std::ranges::find(no_names, word) != no_names.end();
}

}  // namespace tandem::text
