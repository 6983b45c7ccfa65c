#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

// What a speech recogniser has understood so far, while the user speaks. Pure.
namespace tandem::conversations {

/// The part of `text` that is worth evaluating early: its first `stable` characters, which the
/// recogniser will not change, or without `stable` all but the last word, which is often revised.
/// In a text without spaces, the last four characters count as a word.
std::string_view select_settled_words(std::string_view text,
                                      std::optional<std::size_t> stable) noexcept;

/// The part of `now` that is worth evaluating early on a server that cannot take tokens back: what
/// it has in common with the partial transcript before it, but for the last word.
std::string_view select_repeated_words(std::string_view before, std::string_view now) noexcept;

/// Whether a prefill shows that the server evaluated far more than the words that were revised:
/// only `kept_bytes` of the prompt of `prompt_bytes` were in the slot, which also held other words.
bool shows_lost_tokens(int cached, int evaluated, std::size_t kept_bytes,
                       std::size_t prompt_bytes) noexcept;

/// Whether `words` has enough beyond what it has in common with `before`, which was evaluated
/// last: two words, or a part of a text without spaces as long as two words.
bool is_worth_prefill(std::string_view words, std::string_view before) noexcept;

/// Whether both texts have the same words: their letters, digits and symbols are equal, apart from
/// case. Spaces and silent punctuation count only between two digits.
bool has_same_words(std::string_view a, std::string_view b);
/// Whether a text with the words `whole` may begin with `beginning`, whose last word may be
/// incomplete.
bool is_beginning_of(std::string_view beginning, std::string_view whole);

}  // namespace tandem::conversations
