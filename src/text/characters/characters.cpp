#include "text/characters/characters.hpp"

#include <boost/spirit/home/support/char_encoding/unicode/query.hpp>

#include <string_view>

namespace tandem::text {
namespace {

namespace ucd = boost::spirit::ucd;
using properties = ucd::properties;

constexpr char32_t last_code_point = 0x10FFFF;

bool is_ascii(char32_t c) noexcept {
    return c < 0x80;
}

bool is_between(char32_t c, char32_t first, char32_t last) noexcept {
    return first <= c && c <= last;
}

properties::category category_of(char32_t c) noexcept {
    return c <= last_code_point ? ucd::get_category(c) : properties::unassigned;
}

properties::script script_of(char32_t c) noexcept {
    return c <= last_code_point ? ucd::get_script(c) : properties::unknown;
}

}  // namespace

bool is_digit(char32_t c) noexcept {
    if (is_ascii(c)) return is_between(c, '0', '9');
    return category_of(c) == properties::decimal_number;
}

bool is_letter(char32_t c) noexcept {
    if (is_ascii(c)) return is_between(c | 0x20, 'a', 'z');
    const auto category = category_of(c);
    return category <= properties::other_letter || category == properties::nonspacing_mark ||
           category == properties::spacing_mark;
}

bool is_uppercase(char32_t c) noexcept {
    if (is_ascii(c)) return is_between(c, 'A', 'Z');
    const auto category = category_of(c);
    return category == properties::uppercase_letter || category == properties::titlecase_letter;
}

bool is_lowercase(char32_t c) noexcept {
    if (is_ascii(c)) return is_between(c, 'a', 'z');
    return category_of(c) == properties::lowercase_letter;
}

char32_t to_lowercase(char32_t c) noexcept {
    if (is_ascii(c)) return is_uppercase(c) ? c | 0x20 : c;
    return c <= last_code_point ? ucd::to_lowercase(c) : c;
}

bool is_cjk(char32_t c) noexcept {
    if (c < 0x1100) return false;
    switch (script_of(c)) {
        case properties::han:
        case properties::hangul:
        case properties::bopomofo:
        case properties::yi:
            return true;
        default:
            return is_kana(c);
    }
}

bool is_kana(char32_t c) noexcept {
    if (c < 0x3040) return false;
    const auto script = script_of(c);
    return script == properties::hiragana || script == properties::katakana || c == 0x30FC;
}

bool is_written_without_spaces(char32_t c) noexcept {
    if (c < 0x0E00) return false;
    switch (script_of(c)) {
        case properties::han:
        case properties::bopomofo:
        case properties::yi:
        case properties::thai:
        case properties::lao:
        case properties::khmer:
        case properties::myanmar:
            return true;
        default:
            return is_kana(c);
    }
}

bool is_combining_mark(char32_t c) noexcept {
    if (is_ascii(c)) return false;
    const auto category = category_of(c);
    return category == properties::nonspacing_mark || category == properties::spacing_mark ||
           category == properties::enclosing_mark;
}

bool is_armenian(char32_t c) noexcept {
    return !is_ascii(c) && script_of(c) == properties::armenian;
}

bool is_greek(char32_t c) noexcept {
    return !is_ascii(c) && script_of(c) == properties::greek;
}

bool is_cyrillic(char32_t c) noexcept {
    return !is_ascii(c) && script_of(c) == properties::cyrillic;
}

bool is_trailing_mark(char32_t c) noexcept {
    constexpr std::u32string_view marks = U".,;:!?…)]}\"'”’»";
    return marks.find(c) != marks.npos || is_full_width_trailing_mark(c);
}

bool is_full_width_trailing_mark(char32_t c) noexcept {
    constexpr std::u32string_view marks = U"。｡．！？、，；：）］｝」』】》〉〕";
    return marks.find(c) != marks.npos;
}

bool is_emotion_emoji(char32_t c) noexcept {
    return is_between(c, 0x1F600, 0x1F64F) || is_between(c, 0x1F910, 0x1F92F) ||
           is_between(c, 0x1F970, 0x1F97A) || is_between(c, 0x1F389, 0x1F38A) ||
           is_between(c, 0x1F442, 0x1F450) || is_heart(c) || c == 0x2728 || c == 0x1F525 ||
           c == 0x1F4AA;
}

bool is_heart(char32_t c) noexcept {
    return is_between(c, 0x1F493, 0x1F49F) || c == 0x2764;
}

bool is_currency(char32_t c) noexcept {
    return is_ascii(c) ? c == '$' : category_of(c) == properties::currency_symbol;
}

}  // namespace tandem::text
