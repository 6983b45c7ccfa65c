#include "text/sentences/sentence_end.hpp"

#include "text/characters/characters.hpp"
#include "text/sentences/next_word.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace tandem::text {
namespace {

using kind = end_mark::kind;
using word_kind = end_mark::word_kind;
using next = next_word::kind;
using enum sentence_decision;

// A clock time this early in the sentence does not end it: "At 5 p.m. John left."
constexpr int words_of_opening_time = 4;
// In characters. The sentences of a shorter quotation are not separated: "Stop! Go back!"
constexpr std::uint32_t short_quotation = 60;

sentence_decision ends_if(bool condition) {
    return condition ? ends : goes_on;
}

template <class List>
bool is_in(const List& list, std::string_view word) {
    return std::ranges::find(list, word) != list.end();
}

class rules {
 public:
    rules(const end_mark& m, const sentence_context& b, const following_text& f, const lexicon& w)
        : mark_(m), before_(b), after_(f), words_(w), next_(parse_next_word(f.characters)) {
        is_final_ = f.is_final || f.characters.size() >= max_following_characters;
    }

    sentence_decision decide() {
        if (before_.is_enclosed() || mark_.is_label || continues_in_quotation()) return goes_on;
        const bool has_gap = after_.space || mark_.closed;
        const auto j = has_gap ? decide_after_gap() : decide_without_gap();
        // Without a gap after the mark, text after the next word does not help.
        return j == undecided && (is_final_ || (!has_gap && next_.complete)) ? decide_finally() : j;
    }

 private:
    sentence_decision decide_without_gap();
    sentence_decision decide_after_stop_without_gap();
    sentence_decision decide_after_gap();
    sentence_decision decide_after_dash();
    sentence_decision decide_after_dots();
    sentence_decision decide_after_stop();
    sentence_decision decide_after_title();
    sentence_decision decide_after_name_part();
    sentence_decision decide_after_number_word();
    sentence_decision decide_after_initial();
    sentence_decision decide_after_clock();
    sentence_decision decide_after_plain();
    sentence_decision decide_after_plain_lower();
    sentence_decision decide_after_ellipsis();
    sentence_decision decide_after_emoji();
    sentence_decision decide_after_shout();
    sentence_decision decide_after_hard();
    sentence_decision decide_after_upper();
    sentence_decision if_starter(sentence_decision otherwise);
    sentence_decision if_starter_begins(sentence_decision otherwise);
    sentence_decision decide_finally();

    bool continues_in_quotation() const;
    bool is_last_chance() const { return next_.complete || is_final_; }
    bool next_is(word_class c) const { return words_.find(next_.text).has(c); }
    bool is_starter() const { return !next_.is_initial && next_is(word_class::starter); }
    bool is_hesitation() const;
    bool is_no_name() const;
    bool is_plain() const {
        return mark_.what != kind::stop || mark_.last_is == word_kind::plain ||
               mark_.last_is == word_kind::letter;
    }
    bool is_lowercase_style() const { return before_.starts_lowercase() && words_.is_english(); }

    const end_mark& mark_;
    const sentence_context& before_;
    const following_text& after_;
    const lexicon& words_;
    next_word next_;
    bool is_final_ = false;
};

/// Inside a quotation, only text that starts with a capital is a separate sentence.
bool rules::continues_in_quotation() const {
    if (!before_.is_quoted()) return false;
    if (before_.quotation_age() < short_quotation) return true;
    const bool may_start =
        next_.what == next::upper || next_.what == next::none || next_.what == next::opener;
    return !may_start || is_cjk(before_.last_letter());
}

sentence_decision rules::decide_without_gap() {
    const auto c = after_.characters.front();
    if (mark_.what == kind::hard) return ends_if(!(mark_.mark == U'．' && is_digit(c)));
    if (mark_.what == kind::emoji) return ends_if(is_cjk(c));
    if (is_cjk(c)) {
        const bool is_foreign = mark_.last.has_lower || mark_.last.starts_upper;
        if (mark_.what == kind::ellipsis) return ends_if(!is_hesitation());
        return ends_if((is_cjk(before_.last_letter()) && !is_foreign));
    }
    if (next_.what != next::upper || mark_.last.is_address_or_path()) return goes_on;
    return mark_.what == kind::stop ? decide_after_stop_without_gap() : undecided;
}

/// "world.Today" ends a sentence; "Amazon.Com", "VB.NET" and "J.P" do not.
sentence_decision rules::decide_after_stop_without_gap() {
    const auto& w = mark_.last;
    if (mark_.last_is != word_kind::plain || w.is_initials() || w.stops > 0) return goes_on;
    if (w.is_number()) return w.digits >= 3 || w.others > 0 ? undecided : goes_on;
    if (w.letters < 2 || w.has_upper) return goes_on;
    if (!w.starts_upper || !is_last_chance()) return undecided;
    return ends_if(is_starter() || next_is(word_class::title));
}

sentence_decision rules::decide_after_gap() {
    if (mark_.what == kind::hard) return decide_after_hard();
    // The capital of "iPhone" is only the second letter.
    if (next_.what == next::lower && next_.letters == 1 && !is_last_chance()) return undecided;
    if (next_.what == next::none) return undecided;
    if (next_.what == next::other) return goes_on;
    if (next_.dashed) return decide_after_dash();
    if (next_.what == next::ellipsis) return decide_after_dots();
    if (next_.what == next::bullet) return ends_if(mark_.last_is != word_kind::never);
    switch (mark_.what) {
        case kind::ellipsis:
            return decide_after_ellipsis();
        case kind::shout:
            return decide_after_shout();
        case kind::emoji:
            return decide_after_emoji();
        default:
            return decide_after_stop();
    }
}

/// "– What a day! – she said": a dash may precede a speaker's words or set off an aside.
sentence_decision rules::decide_after_dash() {
    if (!is_plain() || before_.has_open_dash() || mark_.what == kind::emoji || mark_.closed)
        return goes_on;
    if (next_.what == next::opener)
        return is_final_ ? ends_if(words_.is_english() || mark_.what == kind::stop) : undecided;
    return ends_if(next_.what != next::lower && next_.what != next::other);
}

/// After a full stop, "..." starts the next sentence; ". . ." is an ellipsis with spaces.
sentence_decision rules::decide_after_dots() {
    const auto& c = after_.characters;
    if (mark_.what == kind::emoji || next_.bracketed) return goes_on;
    if (c.front() != '.' || (c.size() > 1 && c[1] == '.')) return ends_if(is_plain());
    return c.size() > 1 || is_final_ ? goes_on : undecided;
}

sentence_decision rules::decide_after_stop() {
    switch (mark_.last_is) {
        case word_kind::marker:
            return goes_on;
        case word_kind::never:
            return decide_after_title();
        case word_kind::numbered:
            return decide_after_number_word();
        case word_kind::name_part:
        case word_kind::ordinal:
            if (next_.what == next::upper) return decide_after_name_part();
            if (next_.what == next::currency) return ends;
            return next_.what == next::opener && !next_.bracketed ? undecided : goes_on;
        case word_kind::tail:
            if (next_.what == next::digit)
                return ends_if(mark_.last.stops == 0 && !mark_.classes.has(word_class::unit));
            return decide_after_plain();
        case word_kind::clock:
            if (next_.what == next::upper) return decide_after_clock();
            return ends_if(next_.what != next::lower && next_.what != next::opener);
        case word_kind::initial:
            return decide_after_initial();
        case word_kind::letter:
            if (next_.what == next::digit) return goes_on;
            if (next_.what == next::upper && next_.letters == 1) return if_starter(goes_on);
            break;
        case word_kind::plain:
            break;
    }
    return decide_after_plain();
}

/// "Ask the Sgt. He knows.": a pronoun is never the name that follows a title.
sentence_decision rules::decide_after_title() {
    constexpr std::array<std::string_view, 6> pronouns{"he", "she", "they", "we", "it", "you"};
    constexpr std::array<std::string_view, 8> articles{"the", "a",   "my",    "our",
                                                       "his", "her", "their", "your"};
    const bool has_no_name = words_.is_english() && mark_.classes.has(word_class::title) &&
                             is_in(articles, mark_.previous.text());
    if (!has_no_name || next_.what != next::upper) return goes_on;
    return is_last_chance() ? ends_if(is_in(pronouns, next_.text)) : undecided;
}

sentence_decision rules::decide_after_name_part() {
    if (!mark_.classes.has(word_class::suffix)) return if_starter(goes_on);
    if (!is_last_chance()) return undecided;
    return next_is(word_class::title) ? ends : if_starter(goes_on);
}

/// "No. 9" and "Fig. A" go on; in "The answer is no. Five of them left.", a sentence ends.
sentence_decision rules::decide_after_number_word() {
    if (next_.what == next::digit || next_.what == next::lower) return goes_on;
    if (next_.what != next::upper) return decide_after_plain();
    if (mark_.last.text() == "no") return decide_after_plain();
    if (!is_last_chance()) return undecided;
    if (next_.letters == 1 && next_.initial != 'i') return goes_on;
    return words_.is_english() ? decide_after_plain() : if_starter(goes_on);
}

sentence_decision rules::decide_after_initial() {
    if (next_.what != next::upper) return goes_on;
    if (!mark_.last.starts_upper && !words_.is_english()) return goes_on;
    const auto& label = mark_.previous;
    const bool is_initial = label.letters == 1 && label.starts_upper;  // "A. B. Carver"
    // "You get an A." ends a sentence; "from an R. Castellano" goes on.
    const bool is_grade = label.letters > 2 || mark_.last.text() <= "f" || mark_.last.text() == "x";
    if (!is_initial && is_grade && words_.find(label.text()).has(word_class::label)) {
        if (!is_last_chance()) return undecided;
        return ends_if(!next_.is_initial && (next_.letters > 1 || label.text() != "is"));
    }
    return if_starter(goes_on);
}

sentence_decision rules::decide_after_clock() {
    // The first letters of days, months and time zones, for words of which only a part was read.
    constexpr std::array<std::string_view, 15> begins{
        "m", "e", "f", "p", "s", "mo", "mr", "sa", "su", "ea", "pa", "ce", "fr", "tu", "we"};
    if (!is_last_chance()) return undecided;
    const bool opens = before_.words() <= words_of_opening_time;
    if (after_.is_piece && is_starter()) return ends;
    if (next_is(word_class::when) || (opens && next_is(word_class::title))) return goes_on;
    if (next_.complete) return ends_if(!opens || is_starter());
    if (next_.letters > 2)
        return ends_if(!words_.has_word_starting_with(word_class::when, next_.text));
    return ends_if(!is_in(begins, next_.text));
}

sentence_decision rules::decide_after_plain() {
    switch (next_.what) {
        case next::upper:
            return decide_after_upper();
        case next::lower:
            return decide_after_plain_lower();
        case next::caseless:
            return ends_if(!mark_.closed || (after_.space && !before_.closed_opening_mark()));
        case next::digit:
        case next::currency:
            return ends;
        case next::opener:
            return undecided;
        default:
            return goes_on;
    }
}

/// Some people write without capitals, and some abbreviations are not in any list.
sentence_decision rules::decide_after_plain_lower() {
    if (mark_.closed || !words_.is_english() || mark_.last_is != word_kind::plain) return goes_on;
    if (next_.bracketed || is_lowercase_style()) return ends;
    const auto& w = mark_.last;
    return ends_if(w.letters >= 5 && w.has_vowel && !w.starts_upper && mark_.classes.none());
}

sentence_decision rules::decide_after_ellipsis() {
    switch (next_.what) {
        case next::upper: {
            // "I" always has a capital, so it may continue the sentence.
            const bool says_nothing =
                words_.is_english() && mark_.stops < 4 && next_.initial == 'i';
            if (!says_nothing) return ends;
            if (!is_last_chance()) return undecided;
            return ends_if(next_.letters > 1 && next_.text[1] != '\'');
        }
        case next::caseless:
            return ends_if(is_cjk(before_.last_letter()) && !is_hesitation());
        case next::currency:
            return ends;
        case next::opener:
            return undecided;
        default:
            return goes_on;
    }
}

/// An emoji acts as a full stop unless it is a word: "I ❤️ Rome".
sentence_decision rules::decide_after_emoji() {
    const bool may_be_word = before_.words() == 1 && is_heart(mark_.mark);
    switch (next_.what) {
        case next::upper:
            return may_be_word ? if_starter(goes_on) : ends;
        case next::caseless:
            return ends_if(is_cjk(before_.last_letter()));
        case next::digit:
        case next::currency:
            return ends_if(before_.words() > 1);
        case next::opener:
            return undecided;
        default:
            return goes_on;
    }
}

sentence_decision rules::decide_after_shout() {
    const bool is_name = mark_.classes.has(word_class::exclaimed) && !mark_.asks && !mark_.spaced;
    switch (next_.what) {
        case next::upper:
            return is_name ? if_starter(goes_on) : decide_after_upper();
        case next::lower:
            return ends_if(is_lowercase_style() && !is_name && !mark_.closed &&
                           !mark_.last.is_number());
        case next::caseless:
            return ends_if(!mark_.closed || (after_.space && !before_.closed_opening_mark()));
        case next::digit:
        case next::currency:
            return ends_if(!is_name);
        case next::opener:
            return undecided;
        default:
            return goes_on;
    }
}

/// "嗯……": the speaker made only a sound.
bool rules::is_hesitation() const {
    const auto& w = before_.last_word();
    return before_.words() == 1 && w.letters <= (is_kana(w.last) ? 3 : 2);
}

/// 「行きます。」と goes on; after 老師說：「明天放假。」, 同學們 starts a sentence.
sentence_decision rules::decide_after_hard() {
    if (!mark_.closed) return ends;
    if (next_.what == next::none) return undecided;
    if (next_.what == next::other || next_.what == next::lower) return goes_on;
    if (before_.closed_opening_mark()) return goes_on;
    return ends_if(after_.space || before_.closed_after_colon() ||
                   !is_kana(after_.characters.front()));
}

/// "Stop!" John said: after speech, the next word may name the speaker.
sentence_decision rules::decide_after_upper() {
    const bool is_speech = mark_.closed && before_.closed_opening_mark();
    if (!is_speech || next_.quoted) return ends;
    // "Where is it?" I asked.
    if (next_.text == "i" && (next_.complete || after_.is_piece)) return goes_on;
    return if_starter(undecided);
}

/// The sentence ends if the next word often starts sentences and is not a name.
sentence_decision rules::if_starter(sentence_decision otherwise) {
    if (!is_last_chance()) return undecided;
    if (next_.complete ? !is_starter() : next_.letters == 0) return goes_on;
    return next_.complete ? ends : if_starter_begins(otherwise);
}

/// Like if_starter(), for a next word of which only the first letters are known.
sentence_decision rules::if_starter_begins(sentence_decision otherwise) {
    const bool is_initial = mark_.what == kind::stop && mark_.last_is == word_kind::initial;
    if (next_.letters >= 2) {
        if (is_initial) return ends_if(is_no_name());
        const bool is_enough = next_.letters > 2 || words_.is_english();
        return ends_if(is_starter() || (is_enough && words_.has_word_starting_with(
                                                         word_class::starter, next_.text)));
    }
    if (otherwise == undecided || (after_.is_piece && !is_initial && is_starter())) return ends;
    const bool before_name = is_initial || (mark_.last.is_initials() && mark_.classes.none());
    const std::string_view likely = before_name ? "iy" : "itwhy";
    return ends_if(words_.is_english() && likely.find(next_.text) != likely.npos);
}

bool rules::is_no_name() const {
    return is_never_in_name(next_.text) ||
           (!words_.is_english() && next_.letters > 2 && is_starter());
}

sentence_decision rules::decide_finally() {
    if (next_.what != next::opener && next_.what != next::upper && next_.what != next::none)
        return goes_on;
    if (mark_.what == kind::emoji) return goes_on;
    if (is_plain() || mark_.last_is == word_kind::tail)
        return ends_if(!mark_.closed || next_.what != next::none);
    return ends_if(next_.quoted && !next_.bracketed);
}

}  // namespace

sentence_decision decide_sentence_end(const end_mark& mark, const sentence_context& before,
                                      const following_text& after, const lexicon& words) {
    return rules(mark, before, after, words).decide();
}

}  // namespace tandem::text
