#pragma once

#include "tandem/chunk.hpp"
#include "tandem/result.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace tandem {
inline namespace v0 {

/// Determines when the next chunk of a channel's reply may come.
enum class pace {
    /// The consumer speaks: requesting an item reports that the previous one was spoken
    /// (`reply::continue_after`).
    voice,
    /// The consumer only reads: each chunk is continued as soon as there is room for the next.
    text,
};

/// How a channel works; see docs/channel.md.
struct channel_options {
    /// Who sets the pace.
    tandem::pace pace = tandem::pace::voice;
    /// Maximum number of waiting items with `pace::text`; values below 1 mean 1. At this limit, the
    /// channel's reply waits until an item is popped; other replies continue, and nothing is
    /// dropped. An item to which chunks are still being added does not count. With `pace::voice`,
    /// at most one item waits.
    int capacity = 16;
    /// See chunk_channel::set_stream_interval().
    int stream_interval = 1;
};

/// Why a channel finished.
struct channel_end {
    /// The reply's finish reason; `interrupted` if the channel was cancelled.
    tandem::finish_reason finish_reason = tandem::finish_reason::error;
    /// Set if and only if finish_reason is `error`.
    error_code error{};
    /// Details of that error; empty without one.
    tandem::diagnostics diagnostics{};
};

/// An item of a channel: one chunk of the reply, or several joined. The last item is the terminal
/// one, which has no text.
struct stream_chunk {
    /// Exactly the delivered text.
    std::string text{};
    /// The text to speak; see chunk::speech.
    std::string speech{};
    /// The marks of all chunks in the item, with positions in `speech`; see chunk::marks.
    std::vector<speech_mark> marks{};
    /// The first and the last chunk in the item.
    chunk_id first{};
    chunk_id last{};
    /// Tokens of all chunks in the item.
    int tokens = 0;
    /// Why the last chunk in the item ended.
    tandem::boundary boundary = tandem::boundary::end;
    /// When the reply delivered the last chunk in the item.
    std::chrono::steady_clock::time_point handed_over{};

    /// Marks the terminal item; the fields below are valid only there.
    bool finished = false;
    /// As in channel_end; chunk_channel::reason() also returns the diagnostics.
    tandem::finish_reason finish_reason = tandem::finish_reason::eos;
    error_code error{};
};

}  // namespace v0
}  // namespace tandem
