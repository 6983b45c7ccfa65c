#include "text/chunks/break_points.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/utf8.hpp"
#include "text/characters/white_space.hpp"

namespace tandem::text {
namespace {

using characters = std::u32string_view;

bool is_one_of(characters set, char32_t c) noexcept {
    return set.find(c) != characters::npos;
}

// Latin, Arabic and Devanagari marks, which end a clause only if white space follows.
constexpr characters spaced_marks = U",;:\u060C\u061B\u0964";
constexpr characters long_dashes = U"\u2013\u2014\u2015";
// Chinese, Japanese and Korean marks, full and half width, which no space follows. The list
// includes marks at which sentences end, because the classic rule does not end sentences there.
constexpr characters wide_marks = U"\uFF0C\u3001\uFF1B\uFF1A\u3002\uFF01\uFF1F\uFF0E\uFF61\uFF64";
constexpr characters closing =
    U"\"')]}\u2019\u201D\u00BB\u203A\u300D\u300F\uFF09\u3011\u300B\u3009\u3015\uFF3D";

/// Whether a clause ends between `before`, which ends with `mark`, and `after`; closing quotes
/// between the two are in neither. Returns false if `after` is empty and the next token may
/// continue a number.
bool divides(char32_t mark, std::string_view before, std::string_view after) noexcept {
    const auto next = decode_first_character(after).character;
    if (is_one_of(spaced_marks, mark)) return is_white_space(next);
    if (is_one_of(long_dashes, mark)) return !after.empty() && !is_ascii_digit(next);
    if (!is_one_of(wide_marks, mark)) return false;
    // Each of these marks has 3 bytes.
    const bool in_number =
        is_ascii_digit(decode_last_character(before.substr(0, before.size() - 3)).character);
    return !in_number || (!after.empty() && !is_ascii_digit(next));
}

}  // namespace

std::size_t find_last_clause_end(std::string_view text) noexcept {
    std::size_t end = text.size();  // end of the closing quotes after `at`, or `at`
    for (std::size_t at = text.size(); at > 0;) {
        const auto before = text.substr(0, at);
        const auto c = decode_last_character(before);
        if (divides(c.character, before, text.substr(end))) return end;
        at -= c.bytes;
        if (!is_one_of(closing, c.character)) end = at;
    }
    return 0;
}

std::size_t find_last_word_end(std::string_view text) noexcept {
    bool in_space = false;
    for (std::size_t at = text.size(); at > 0;) {
        const auto c = decode_last_character(text.substr(0, at));
        const bool space = is_breaking_space(c.character);
        if (in_space && !space) return is_all_white_space(text.substr(0, at)) ? 0 : at;
        in_space = space;
        at -= c.bytes;
    }
    return 0;
}

}  // namespace tandem::text
