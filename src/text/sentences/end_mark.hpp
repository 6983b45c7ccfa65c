#pragma once

#include "text/sentences/sentence_context.hpp"
#include "text/sentences/word_lists.hpp"
#include "text/sentences/word_reader.hpp"

#include <optional>

namespace tandem::text {

/// A place where a sentence may end.
struct end_mark {
    enum class kind {
        stop,      ///< .
        ellipsis,  ///< two stops or more, or …
        shout,     ///< ! ? and runs of them
        hard,      ///< a full stop of a script that uses it for nothing else: 。।۔
        emoji,     ///< an emoji behind a word
    };
    /// What the word before a full stop is, and so what ends a sentence there.
    enum class word_kind {
        plain,      ///< ends unless what follows cannot start a sentence
        never,      ///< "Dr.", "e.g."
        numbered,   ///< "No.": as plain, but not before a number
        name_part,  ///< "U.S.", "Inc.": only before a word that starts sentences
        tail,       ///< "etc.": only before a capital
        clock,      ///< "p.m.": only before a capital that is no day or time zone
        ordinal,    ///< "12.": as name_part, where numbers with a full stop are ordinals
        marker,     ///< "1." or "A." at the start of a line
        initial,    ///< "J."
    };

    kind what = kind::stop;
    char32_t mark = 0;
    int stops = 0;           ///< in a run of full stops
    bool spaced = false;     ///< white space stands before it, or between its stops
    bool asks = false;       ///< has a question mark
    bool closed = false;     ///< closing quotes or brackets follow it
    bool is_label = false;   ///< the emphasis of a label ends behind it
    bool has_emoji = false;  ///< an emoji follows it, or is it
    word last;               ///< that the mark stands behind, or empty
    word previous;           ///< the word before that
    word_classes classes;    ///< of `last`
    word_kind last_is = word_kind::plain;
};

/// What kind of mark `c` is after what was read, if it is one.
std::optional<end_mark::kind> find_mark(char32_t c, const sentence_context& before) noexcept;
bool is_shout(char32_t c) noexcept;

/// The mark `c` after what was read.
end_mark make_mark(end_mark::kind what, char32_t c, const sentence_context& before,
                   const lexicon& words);

}  // namespace tandem::text
