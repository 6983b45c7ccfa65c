#pragma once

#include <string>
#include <string_view>

namespace tandem::text {

/// The first word after a mark and what precedes it, as far as it was read.
struct next_word {
    enum class kind {
        none,      ///< only white space so far
        opener,    ///< an opening quote, bracket or mark of emphasis, without text after it yet
        lower,     ///< a word in lower case
        upper,     ///< a word with a capital, which need not be its first letter ("iPhone")
        caseless,  ///< a word of a script that has no capitals
        digit,
        currency,  ///< $, ¿ and other signs that start an expression
        bullet,
        ellipsis,  ///< more full stops, after white space
        other,     ///< text that cannot start a sentence: a comma, a closing bracket, a symbol
    };
    kind what = kind::none;
    bool quoted = false;     ///< an opening quote or a mark of emphasis precedes it
    bool bracketed = false;  ///< an opening bracket precedes it
    bool dashed = false;     ///< a dash precedes it
    char32_t initial = 0;    ///< its first character, in lower case
    std::string text;        ///< in lower case
    int letters = 0;
    bool complete = false;    ///< the end of the word was read too
    bool is_initial = false;  ///< "J."
};

next_word parse_next_word(std::u32string_view characters);

/// Whether an English word in lower case cannot be part of a name: true for "they", false for
/// "and".
bool is_never_in_name(std::string_view word) noexcept;

}  // namespace tandem::text
