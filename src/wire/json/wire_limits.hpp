#pragma once

#include <cstddef>

// Limits on what is read from a server or a store, and on what is sent to a server. docs/bounds.md
// lists them.
namespace tandem::wire {

/// One event of a stream, including all its lines. A larger one causes errc::response_too_large.
inline constexpr std::size_t max_event_bytes = std::size_t{1} << 20;

/// Text of stream events that is held until a character is complete. Beyond this limit, the text is
/// passed on, and only the incomplete character is held.
inline constexpr std::size_t max_withheld_bytes = std::size_t{4} << 10;

/// The body of an answer other than a stream: far larger than the answer of /tokenize for a prompt
/// that fills a context of 1,000,000 tokens. A larger body causes errc::response_too_large.
inline constexpr std::size_t max_answer_bytes = std::size_t{16} << 20;

/// Values and keys in an answer: twice the tokens of a context of 1,000,000 tokens. An answer with
/// more values and keys causes errc::bad_response.
inline constexpr std::size_t max_answer_values = 2'000'000;

/// The body of an error answer to /completion; bytes beyond it are not read.
inline constexpr std::size_t max_error_bytes = std::size_t{64} << 10;

/// A prompt: far larger than any context. A larger prompt causes errc::invalid_prompt.
inline constexpr std::size_t max_prompt_bytes = std::size_t{64} << 20;

/// The text of a saved conversation: larger than any context.
inline constexpr std::size_t max_saved_bytes = std::size_t{16} << 20;

/// Messages in a saved conversation; the same limit applies to exchanges and tool calls.
inline constexpr std::size_t max_saved_messages = 100'000;

/// Values and keys in a saved conversation, including ignored ones. With this limit, reading
/// hostile text takes at most about 100 MiB.
inline constexpr std::size_t max_saved_values = 2'000'000;

}  // namespace tandem::wire
