#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::text {

/// How a text is divided into tokens, as a set of bits.
enum tokenisation : unsigned {
    whole_text = 1,         ///< one token
    token_like_pieces = 2,  ///< words with the space before them, runs of marks, up to three digits
    characters = 4,         ///< a token for each
    random_pieces = 8,      ///< 1 to 6 characters, from fixed seeds
    every = 15,
};

/// A text with '|' where its sentences end, and the tokenizations for which they do.
struct sentence_row {
    sentence_row(const char* text, unsigned tokenisations = every)
        : marked(text), holds_for(tokenisations) {}
    std::string_view marked;
    unsigned holds_for;
};

/// Checks each row with each of its tokenizations. `language` is the hint, empty for none.
void expect_sentences(std::string_view language, std::initializer_list<sentence_row> rows);
/// The same without a hint.
void expect_sentences(std::initializer_list<sentence_row> rows);

using token_list = std::vector<std::string>;

token_list in_characters(std::string_view text);
token_list in_word_pieces(std::string_view text);
token_list in_random_pieces(std::string_view text, unsigned seed);

/// The sentences of the text that `tokens` make, with '|' between them.
std::string marked_sentences(const token_list& tokens, std::string_view language);

}  // namespace tandem::text
