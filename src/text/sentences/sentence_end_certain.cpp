// Decides whether a mark may end a sentence at all, and whether it ends one regardless of what
// follows.
#include "text/characters/characters.hpp"
#include "text/sentences/next_word.hpp"
#include "text/sentences/sentence_end.hpp"

#include <string_view>

namespace tandem::text {
namespace {

using kind = end_mark::kind;
using word_kind = end_mark::word_kind;

/// Excludes exclamation marks, because more marks often follow in separate tokens.
bool is_surely_question(const end_mark& m) {
    return m.mark == '?' && m.asks && m.last.letters >= 2 && !m.last.starts_upper;
}

bool is_surely_stop(const end_mark& m, const sentence_context& before) {
    if (m.last.starts_upper || before.words() < 2 || m.last_is != word_kind::plain) return false;
    if (m.classes.has(word_class::brief)) return true;
    const bool is_doubtful = m.classes.has(word_class::title) || m.classes.has(word_class::unit) ||
                             m.classes.has(word_class::name_part) ||
                             m.classes.has(word_class::file) || m.classes.has(word_class::clock);
    return m.last.letters >= 4 && m.last.has_vowel && !is_doubtful;
}

}  // namespace

bool ends_if_nothing_follows(const end_mark& mark, const sentence_context& before) {
    if (before.is_enclosed() || before.is_quoted()) return false;
    // "I ❤️ Rome.": the emoji may be a word.
    if (mark.what == kind::emoji) return before.words() > 1 || is_cjk(before.last_letter());
    if (mark.what != kind::stop) return true;
    return mark.last_is != word_kind::never && mark.last_is != word_kind::marker &&
           mark.last_is != word_kind::initial && mark.last_is != word_kind::letter &&
           mark.last_is != word_kind::numbered;
}

bool ends_without_lookahead(const end_mark& mark, const sentence_context& before,
                            const lexicon& words) {
    // Another of these marks may follow in the next token.
    constexpr std::u32string_view repeated = U"．！？؟";
    if (before.is_enclosed() || before.is_quoted() || before.has_open_dash()) return false;
    if (before.has_single_quote() || before.has_open_emphasis()) return false;
    if (mark.closed || mark.spaced) return false;
    if (mark.what == kind::hard) return repeated.find(mark.mark) == repeated.npos;
    const auto& w = mark.last;
    const bool is_word = w.letters > 0 && !w.has_upper && w.stops + w.digits + w.others == 0;
    if (!words.is_english() || !is_word || w.last >= 0x250) return false;
    if (mark.what == kind::shout) return mark.stops == 0 && is_surely_question(mark);
    return mark.what == kind::stop && is_surely_stop(mark, before);
}

}  // namespace tandem::text
