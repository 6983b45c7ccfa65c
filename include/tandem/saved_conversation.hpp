#pragma once

#include "tandem/chunk.hpp"
#include "tandem/conversation_options.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {
inline namespace v0 {

/// A message of the user and everything up to the next one: tool calls, results, answers.
struct saved_exchange {
    /// In order.
    std::vector<chat_message> messages{};
    /// Number of tokens of the exchange in the prompt, for the model in use; -1 = unknown.
    int tokens = -1;

    friend bool operator==(const saved_exchange&, const saved_exchange&) = default;
};

/// How far the last turn got, in bytes of its text: generated ≥ handed over ≥ heard.
struct saved_turn {
    std::size_t generated = 0;
    std::size_t handed_over = 0;
    std::size_t heard = 0;

    friend bool operator==(const saved_turn&, const saved_turn&) = default;
};

/// A chunk of the open turn that was not heard in full.
struct saved_chunk {
    std::uint64_t reply = 0;
    std::uint32_t seq = 0;
    /// The chunk's bytes in the turn's text: [begin, end).
    std::size_t begin = 0;
    std::size_t end = 0;
    /// See `chunk`; empty if the speech equals the text.
    std::string speech{};
    std::vector<speech_run> speech_runs{};
    bool ends_word = true;

    friend bool operator==(const saved_chunk&, const saved_chunk&) = default;
};

/// The last turn, if it was running or interrupted: conversation::resume() continues it.
struct saved_open_turn {
    std::string text{};
    /// How far the turn got, in bytes of its text: handed_over ≥ heard ≥ spoken. `spoken` is the
    /// end of the last chunk that was heard in full.
    std::size_t handed_over = 0;
    std::size_t heard = 0;
    std::size_t spoken = 0;
    std::vector<saved_chunk> chunks{};
    /// Words that were spoken before the text; see conversation::add_filler().
    std::string filler{};
    /// Whether the model has ended the text.
    bool is_complete = false;
    /// Whether the text is from conversation::say_text(), and therefore does not continue the
    /// previous message.
    bool is_given = false;
    /// Number of messages at the end of `exchanges` that contain what history keeps of this turn.
    std::size_t kept_messages = 0;

    friend bool operator==(const saved_open_turn&, const saved_open_turn&) = default;
};

/// A conversation as plain data, for a store or another process.
struct saved_conversation {
    /// The options; `messages` contains only the system prompt.
    conversation_options options{};
    /// The oldest first, including what history keeps of the last turn.
    std::vector<saved_exchange> exchanges{};
    /// Ledger of the last turn.
    saved_turn last_turn{};
    std::optional<saved_open_turn> open_turn{};
    /// Function calls whose results may still come, the oldest first; at most 128. Long arguments
    /// are omitted.
    std::vector<tool_call> late_calls{};
    /// URL, without credentials, of the server to which the conversation is assigned, and where a
    /// slot may still hold its text; empty if there is none. service::load() prefers this server.
    std::string server{};

    friend bool operator==(const saved_conversation&, const saved_conversation&) = default;
};

/// The conversation as JSON text, version 1. Bytes that are not UTF-8 are replaced. Text of more
/// than 16 MiB or 100,000 messages cannot be read back. Throws only std::bad_alloc.
std::string saved_text(const saved_conversation& c);

/// Reads text from saved_text() into `out`. Types, bounds and ranges are checked; unknown fields
/// are ignored, and missing fields get their defaults. Returns the first error, with the path of
/// the field such as `exchanges[2].messages[0].role`, or `conversation` for the whole text; `out`
/// is then unchanged. Text of a newer version is an error. Throws only std::bad_alloc.
std::optional<config_fault> read_saved(std::string_view text, saved_conversation& out);

}  // namespace v0
}  // namespace tandem
