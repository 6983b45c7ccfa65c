#pragma once

#include <cstddef>

// How much is read from a server or a store, and sent to a server, at most. docs/bounds.md has
// the list.
namespace tandem::wire {

/// One event of a stream, with all its lines. A larger one is errc::response_too_large.
inline constexpr std::size_t max_event_bytes = std::size_t{1} << 20;

/// Text of a stream's events that wait for the rest of a character. Where more has come, and still
/// no event ended with a whole one, it is passed on, and only the half character waits.
inline constexpr std::size_t max_withheld_bytes = std::size_t{4} << 10;

/// The body of an answer other than a stream: far more than /tokenize answers for a prompt that
/// fills a context of 1,000,000 tokens. A larger one is errc::response_too_large.
inline constexpr std::size_t max_answer_bytes = std::size_t{16} << 20;

/// Values and keys in it: more than it has tokens then. One with more is errc::bad_response.
inline constexpr std::size_t max_answer_values = 2'000'000;

/// The body of an error answer to /completion; the rest is not read.
inline constexpr std::size_t max_error_bytes = std::size_t{64} << 10;

/// A prompt: far more than any context holds. A larger one is errc::invalid_prompt.
inline constexpr std::size_t max_prompt_bytes = std::size_t{64} << 20;

/// The text of a saved conversation: more than any context holds.
inline constexpr std::size_t max_saved_bytes = std::size_t{16} << 20;

/// Messages in it, and so many exchanges and calls of tools.
inline constexpr std::size_t max_saved_messages = 100'000;

/// Values and keys in it, those that are ignored included, so that a hostile text takes no more
/// than some 100 MiB to read.
inline constexpr std::size_t max_saved_values = 2'000'000;

}  // namespace tandem::wire
