#pragma once

#include "text/sentences/end_mark.hpp"
#include "text/sentences/sentence_context.hpp"
#include "text/sentences/word_lists.hpp"

#include <cstddef>
#include <string>

// The rules: whether a sentence ends at a mark, from what stands before and after it. Pure.
namespace tandem::text {

/// What stands after a mark and its closing quotes, as far as it was read.
struct follower {
    bool space = false;         ///< white space comes first
    std::u32string characters;  ///< at most max_follower, without that white space
    bool is_piece = false;      ///< that white space is the start of a token, as in " I"
    bool last_look = false;     ///< nothing more will be read before the decision
};

/// Longer words are in no list.
inline constexpr std::size_t max_follower = 24;

enum class judgement { goes_on, ends, undecided };

/// Does not answer `undecided` at the last look. Precondition: `after.characters` is not empty.
judgement judge(const end_mark& mark, const sentence_context& before, const follower& after,
                const lexicon& words);

/// Whether the sentence ends if nothing at all follows.
bool may_end(const end_mark& mark, const sentence_context& before);

/// Whether the mark ends the sentence so surely that the next token need not be read. Only for
/// word pieces, where the mark is a token of its own: "main" and ".cpp" are no sentence end.
bool surely_ends(const end_mark& mark, const sentence_context& before, const lexicon& words);

}  // namespace tandem::text
