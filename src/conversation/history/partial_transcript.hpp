#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

// What a speech recognizer has understood so far, while the user speaks. Pure.
namespace tandem::conversations {

/// The part of `text` that is worth evaluating early: the first `stable` characters, which the
/// recognizer will not change. Without `stable`, everything but the last word, which recognizers
/// often revise, or but the last four characters in text without spaces.
std::string_view select_settled_words(std::string_view text,
                                      std::optional<std::size_t> stable) noexcept;

/// Like select_settled_words(), but for a server that cannot roll back, where revised words are
/// expensive: selects only from the words that `now` and the partial transcript before it share.
std::string_view select_repeated_words(std::string_view before, std::string_view now) noexcept;

/// Whether the server could not roll its slot back to the first `kept_bytes` of the prompt: it then
/// evaluated far more tokens than the revised words have.
bool server_failed_to_roll_back(int cached, int evaluated, std::size_t kept_bytes,
                                std::size_t prompt_bytes) noexcept;

/// Whether `words` has enough new text after the part that it shares with `before`, the words
/// evaluated last: two words or, in text without spaces, more than 40 bytes.
bool is_worth_prefill(std::string_view words, std::string_view before) noexcept;

/// Whether both texts have the same words, apart from case, spaces, and the marks of sentences and
/// clauses. Spaces and marks within numbers matter, as in "3.5" and "1 2". Text without words
/// matches no text.
bool has_same_words(std::string_view a, std::string_view b);
/// Whether `whole` begins with the words of `beginning`, the last of which may be incomplete.
bool is_beginning_of(std::string_view beginning, std::string_view whole);

}  // namespace tandem::conversations
