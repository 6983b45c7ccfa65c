#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

// What a speech recognizer has understood so far, while the user speaks. Pure.
namespace tandem::conversations {

/// The part of `text` that is worth evaluating early: its first `stable` characters, which the
/// recognizer will not change, or, without `stable`, all but the last word, which is often revised.
/// In text without spaces, the last four characters are taken as a word.
std::string_view select_settled_words(std::string_view text,
                                      std::optional<std::size_t> stable) noexcept;

/// The same for a server that cannot roll back: the words that `now` shares with the previous
/// partial transcript, except the last of these words.
std::string_view select_repeated_words(std::string_view before, std::string_view now) noexcept;

/// Whether a prefill shows that the server could not roll its slot back to the first `kept_bytes`
/// of the prompt, because the server evaluated far more tokens than the revised words have.
bool server_failed_to_roll_back(int cached, int evaluated, std::size_t kept_bytes,
                                std::size_t prompt_bytes) noexcept;

/// Whether `words` has enough new text after its common prefix with `before`, which was evaluated
/// last: two words or, in text without spaces, a part as long as two words.
bool is_worth_prefill(std::string_view words, std::string_view before) noexcept;

/// Whether both texts have the same words, apart from case, spaces, and the marks of sentences and
/// clauses. Spaces and marks within numbers matter, as in "3.5" and "1 2". Text without words
/// matches no text.
bool has_same_words(std::string_view a, std::string_view b);
/// Whether text with the words `whole` may begin with `beginning`, whose last word may be
/// incomplete.
bool is_beginning_of(std::string_view beginning, std::string_view whole);

}  // namespace tandem::conversations
