#include "text/sentences/end_mark.hpp"

#include "text/characters/characters.hpp"
#include "text/characters/white_space.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tandem::text {
namespace {

using kind = end_mark::kind;
using word_kind = end_mark::word_kind;

constexpr std::u32string_view shouts = U"!?‼⁇⁈⁉‽";
// Sentence_Terminal of the Unicode character database (ICU: UCHAR_S_TERM), without . ! ? and
// similar marks, which also have other uses, and without historic scripts.
constexpr std::u32string_view hard_stops =
    U"។៕。．！？｡؟۔։।॥။၊።፧፨܀܁܂᙮᠃᠉‿⸮꘎꘏꛳꛷꡶꡷꣎꣏꤯꧈꧉꩝꩞꩟꯫︒︕︖﹒﹖﹗";

constexpr int max_marker_digits = 3;
constexpr int max_ordinal_digits = 2;

bool is_hard_stop(char32_t c) noexcept {
    return c > 0x500 && hard_stops.find(c) != hard_stops.npos;
}

/// "you and I.": a pronoun, not an initial.
bool is_pronoun_i(const end_mark& m, const lexicon& words) {
    constexpr std::array<std::string_view, 9> before_it{"was", "and", "or",  "than", "but",
                                                        "as",  "am",  "not", "only"};
    return words.is_english() && m.last.text() == "i" &&
           std::ranges::find(before_it, m.previous.text()) != before_it.end();
}

/// "第1步." at the start of a line: an ordinal.
bool is_chinese_ordinal(const word& w) {
    return w.digits > 0 && w.text().starts_with("\xE7\xAC\xAC");
}

/// "ii." at the start of a line: a list marker.
bool is_small_roman(const word& w) {
    const auto t = w.text();
    return w.letters == static_cast<int>(t.size()) && t.size() <= 4 && !t.empty() &&
           !w.starts_upper && t.find_first_not_of("ivx") == t.npos;
}

word_kind kind_of_number(const word& w, const sentence_context& before, const lexicon& words) {
    if (w.stops > 0) return word_kind::plain;
    if (before.is_first_word() && w.digits <= max_marker_digits) return word_kind::marker;
    if (before.is_heading()) return word_kind::marker;
    // "Step 1. Unplug it."
    const bool is_numbered = before.words() == 2 && before.mark_before_word() == 0 &&
                             words.find(before.word_before().text()).has(word_class::heading);
    if (is_numbered && w.digits <= max_marker_digits) return word_kind::marker;
    // "The ranking: 1. Brazil, 2. Germany"
    const bool is_listed = before.mark_before_word() == ':' || before.mark_before_word() == ',';
    if (is_listed && w.digits <= max_ordinal_digits) return word_kind::marker;
    if (words.has_ordinals() && w.digits <= max_ordinal_digits) return word_kind::ordinal;
    return word_kind::plain;
}

/// Whether a single letter may be a word rather than an abbreviation: a vowel, in languages other
/// than English.
bool is_word_of_one_letter(const word& w, const lexicon& words) {
    constexpr std::u32string_view consonants =
        U"bcdfghjklmnpqrstvwxzßçñćčďđğłńňřśşšťźżžбвгджзйклмнпрстфхцчшщβγδζθκλμνξπρστφχψ";
    return is_lowercase(w.last) && !words.is_english() &&
           consonants.find(w.last) == consonants.npos;
}

word_kind kind_of_initials(const word& w, const lexicon& words) {
    if (w.stops == 0 && is_cjk(w.last)) return word_kind::plain;
    if (w.stops == 0)
        return is_word_of_one_letter(w, words) ? word_kind::letter : word_kind::initial;
    return w.starts_upper || words.is_english() ? word_kind::name_part : word_kind::never;
}

word_kind kind_of_listed(const end_mark& m, const lexicon& words) {
    const auto& w = m.last;
    const auto has = [&](word_class c) { return m.classes.has(c); };
    // Other languages write abbreviations in lower case that have a capital in English.
    const bool capital = w.starts_upper || !(w.has_lower && words.is_english());
    const bool is_after_number = m.previous.digits > 0;
    // "Main St.": a street, not a saint.
    if (w.text() == "st" && m.previous.starts_upper) return word_kind::name_part;
    // "Das ist hier so.", "Ich helfe dir.": neither Sunday nor a director.
    const bool is_common = !w.starts_upper && has(word_class::starter);
    const bool is_title = has(word_class::title) && capital && !is_common;
    if (has(word_class::inner) || is_title) return word_kind::never;
    if (has(word_class::unit) && is_after_number) return word_kind::tail;
    if (has(word_class::numbered)) return word_kind::numbered;
    if (has(word_class::clock) && (w.stops > 0 || is_after_number)) return word_kind::clock;
    if (has(word_class::date) && capital && !is_common) return word_kind::name_part;
    if (has(word_class::tail)) return word_kind::tail;
    if (has(word_class::name_part) && (capital || w.stops > 0 || w.text() == "al"))
        return word_kind::name_part;
    return word_kind::plain;
}

word_kind kind_of_word(const end_mark& m, const sentence_context& before, const lexicon& words) {
    const auto& w = m.last;
    if (m.spaced || w.empty()) return word_kind::plain;
    const bool starts_line = before.is_first_word();
    if (w.is_number()) return kind_of_number(w, before, words);
    const bool is_cased = is_uppercase(w.last) || is_lowercase(w.last);
    if (starts_line && w.digits == 0 && ((w.letters == 1 && is_cased) || is_small_roman(w)))
        return word_kind::marker;
    if (starts_line && is_chinese_ordinal(w)) return word_kind::marker;
    if (is_pronoun_i(m, words)) return word_kind::plain;
    if (w.is_initials() && w.letters == 1 && w.starts_upper) return word_kind::initial;
    if (words.has_ordinals() && w.is_roman()) return word_kind::ordinal;
    const auto listed = kind_of_listed(m, words);
    return listed == word_kind::plain && w.is_initials() ? kind_of_initials(w, words) : listed;
}

}  // namespace

bool is_exclamation_or_question(char32_t c) noexcept {
    return c == '!' || c == '?' || (c > 0x2000 && shouts.find(c) != shouts.npos);
}

std::optional<kind> classify_end_mark(char32_t c, const sentence_context& before) noexcept {
    if (c <= ' ' || (c > '?' && c < 0x37E)) return std::nullopt;
    if (c == '.') return kind::stop;
    if (c == '!' || c == '?') return kind::shout;
    // In Armenian, a colon is a full stop, and in Greek, a semicolon is a question mark.
    if (c == ':')
        return is_armenian(before.last_letter()) ? std::optional(kind::hard) : std::nullopt;
    if (c == ';') return is_greek(before.last_letter()) ? std::optional(kind::shout) : std::nullopt;
    if (c < 0x37E) return std::nullopt;
    if (c == ellipsis_mark) return kind::ellipsis;
    if (is_exclamation_or_question(c) || c == 0x37E) return kind::shout;
    if (is_hard_stop(c)) return kind::hard;
    const bool feels = is_emotion_emoji(c) && !before.last_word().empty();
    return feels ? std::optional(kind::emoji) : std::nullopt;
}

end_mark make_end_mark(kind what, char32_t c, const sentence_context& before,
                       const lexicon& words) {
    end_mark m;
    m.what = what;
    m.mark = c;
    m.stops = c == '.' ? 1 : (c == ellipsis_mark ? 3 : 0);
    m.asks = what == kind::shout && c != '!';
    m.has_emoji = what == kind::emoji;
    m.last = before.open_word();
    m.previous = before.word_before();
    m.spaced = m.last.empty() && is_white_space(before.previous());
    m.classes = words.find(m.last.text());
    if (m.classes.none() && m.last.others > 0) m.classes = words.find(m.last.tail());
    m.last_is = kind_of_word(m, before, words);
    return m;
}

}  // namespace tandem::text
