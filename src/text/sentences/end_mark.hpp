#pragma once

#include "text/sentences/sentence_context.hpp"
#include "text/sentences/word.hpp"
#include "text/sentences/word_lists.hpp"

#include <optional>

namespace tandem::text {

/// A place where a sentence may end.
struct end_mark {
    enum class kind {
        stop,      ///< .
        ellipsis,  ///< two stops or more, or …
        shout,     ///< ! ? and runs of them
        hard,      ///< a mark that is only used to end sentences: 。।۔
        emoji,     ///< an emoji after a word
    };
    /// The kind of word before a full stop, which determines when a sentence ends there.
    enum class word_kind {
        plain,      ///< ends unless the next word cannot start a sentence
        never,      ///< "Dr.", "e.g."
        numbered,   ///< "No.": like plain, but not before a number
        name_part,  ///< "U.S.", "Inc.": only before a word that starts sentences
        tail,       ///< "etc.": only before a capital
        clock,      ///< "p.m.": only before a capital that starts no day or time zone
        ordinal,    ///< "12.": like name_part, in languages that write ordinals with a full stop
        marker,     ///< "1." or "A." at the start of a line
        initial,    ///< "J."
        letter,     ///< "é.": like plain, but not before a number or an initial
    };

    kind what = kind::stop;
    char32_t mark = 0;
    int stops = 0;           ///< number of full stops in the run
    bool spaced = false;     ///< white space precedes it or separates its stops
    bool asks = false;       ///< includes a question mark
    bool closed = false;     ///< closing quotes or brackets follow it
    bool is_label = false;   ///< it ends an emphasized label: "1. **Salt.**"
    bool has_emoji = false;  ///< an emoji follows it, or it is one
    word last;               ///< the word before the mark, or empty
    word previous;           ///< the word before `last`
    word_classes classes;    ///< of `last`
    word_kind last_is = word_kind::plain;
};

/// The kind of the mark `c` after the text read so far; nullopt if no sentence can end at `c`.
std::optional<end_mark::kind> classify_end_mark(char32_t c,
                                                const sentence_context& before) noexcept;
bool is_exclamation_or_question(char32_t c) noexcept;

/// Describes the mark `c` after the text read so far.
end_mark make_end_mark(end_mark::kind what, char32_t c, const sentence_context& before,
                       const lexicon& words);

}  // namespace tandem::text
