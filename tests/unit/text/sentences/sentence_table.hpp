#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {

/// The ways to divide text into tokens, as a set of bits.
enum tokenisation : unsigned {
    whole_text = 1,         ///< the whole text as one token
    token_like_pieces = 2,  ///< words with the space before them, runs of marks, up to three digits
    characters = 4,         ///< one token for each character
    random_pieces = 8,      ///< pieces of 1 to 6 characters, from fixed seeds
    every = 15,
};

/// A text with '|' at its sentence ends, and the tokenizations in which these ends must be found.
struct sentence_row {
    sentence_row(const char* text, unsigned tokenisations = every)
        : marked(text), holds_for(tokenisations) {}
    std::string_view marked;
    unsigned holds_for;
};

/// Checks each row with each of its tokenizations. `language` is the hint, or empty for none.
void expect_sentences(std::string_view language, std::initializer_list<sentence_row> rows);
/// Checks each row without a language hint.
void expect_sentences(std::initializer_list<sentence_row> rows);

using token_list = std::vector<std::string>;

token_list in_characters(std::string_view text);
token_list in_word_pieces(std::string_view text);
token_list in_random_pieces(std::string_view text, unsigned seed);

/// The text of `tokens` with '|' between its sentences.
std::string marked_sentences(const token_list& tokens, std::string_view language);

}  // namespace tandem::text
