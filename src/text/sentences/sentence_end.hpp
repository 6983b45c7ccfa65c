#pragma once

#include "text/sentences/end_mark.hpp"
#include "text/sentences/sentence_context.hpp"
#include "text/sentences/word_lists.hpp"

#include <cstddef>
#include <string>

// Rules that decide whether a sentence ends at a mark, from the text before and after it. Pure.
namespace tandem::text {

/// The text after a mark and its closing quotes, as far as it was read.
struct following_text {
    bool space = false;         ///< white space comes first
    std::u32string characters;  ///< at most max_following_characters, without leading white space
    bool is_piece = false;      ///< the white space is the start of a token, as in " I"
    bool is_final = false;      ///< no more text is read before the decision
};

/// The most characters that a decision needs: no list contains a longer word.
inline constexpr std::size_t max_following_characters = 24;

enum class sentence_decision { goes_on, ends, undecided };

/// Never returns `undecided` if `after.is_final` is set, or `after.characters` has its maximum
/// length. Precondition: `after.characters` is not empty.
sentence_decision decide_sentence_end(const end_mark& mark, const sentence_context& before,
                                      const following_text& after, const lexicon& words);

/// Whether the sentence ends if no text follows.
bool ends_if_nothing_follows(const end_mark& mark, const sentence_context& before);

/// Whether the mark ends the sentence so surely that the next token need not be read. Valid only if
/// the mark is a token of its own, as in text of word pieces: no sentence ends between the tokens
/// "main" and ".cpp".
bool ends_without_lookahead(const end_mark& mark, const sentence_context& before,
                            const lexicon& words);

}  // namespace tandem::text
