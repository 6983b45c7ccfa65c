#pragma once

#include <string>
#include <string_view>

namespace tandem::text {

/// The first word after a mark, with what stands before it, as far as it was read.
struct next_word {
    enum class kind {
        none,      ///< nothing but white space came
        opener,    ///< an opening quote, bracket or mark of emphasis, and nothing behind it yet
        lower,     ///< a word in lower case
        upper,     ///< a word with a capital: its first letter, or a later one ("iPhone")
        caseless,  ///< a word of a script that has no capitals
        digit,
        currency,  ///< $, ¿ and the like, which stand at the start of something
        bullet,
        ellipsis,  ///< more full stops, behind white space
        other,     ///< what starts no sentence: a comma, a closing bracket, a symbol
    };
    kind what = kind::none;
    bool quoted = false;     ///< an opening quote or a mark of emphasis stands before it
    bool bracketed = false;  ///< an opening bracket stands before it
    bool dashed = false;     ///< a dash stands before it
    char32_t initial = 0;    ///< its first character, in lower case
    std::string text;        ///< in lower case
    int letters = 0;
    bool complete = false;    ///< its end was read too
    bool is_initial = false;  ///< "J."
};

next_word read_next_word(std::u32string_view characters);

}  // namespace tandem::text
