#pragma once

#include "tandem/chunk.hpp"
#include "tandem/result.hpp"

#include <chrono>
#include <string>

namespace tandem {

/// Who says when the next chunk of a channel's reply may come.
enum class pace {
    /// The consumer speaks: asking for an item says that the one before was spoken
    /// (`reply::continue_after`).
    voice,
    /// The consumer only reads: each chunk is continued as soon as there is room for the next.
    text,
};

/// How a channel works; see docs/channel.md.
struct channel_options {
    /// Who sets the pace.
    tandem::pace pace = tandem::pace::voice;
    /// Items that wait to be popped with `pace::text`; below 1 counts as 1. At the bound this reply
    /// waits, as if a voice were speaking, until an item is popped; others go on, and nothing is
    /// dropped. An item that is being joined is not counted: so besides `capacity` items there is
    /// at most one that is not complete. With `pace::voice` one item waits at most.
    int capacity = 16;
    /// See chunk_channel::set_stream_interval().
    int stream_interval = 1;
};

/// Why a channel finished.
struct channel_end {
    /// Of the reply; `interrupted` where the channel was cancelled.
    tandem::finish_reason finish_reason = tandem::finish_reason::error;
    /// Set exactly if finish_reason is `error`.
    error_code error{};
    /// What is known of that error; empty without one.
    tandem::diagnostics diagnostics{};
};

/// What is popped from a channel: one chunk of the reply, or several joined; and at last, once, the
/// terminal item, which has no text.
struct stream_chunk {
    /// To the byte what the reply handed over.
    std::string text{};
    /// The same as it is to be spoken; see chunk::speech.
    std::string speech{};
    /// Of the first and the last chunk in the item.
    chunk_id first{};
    chunk_id last{};
    /// Of all its chunks.
    int tokens = 0;
    /// Why the last of them ended.
    tandem::boundary boundary = tandem::boundary::end;
    /// When the last of them was handed over by the reply.
    std::chrono::steady_clock::time_point handed_over{};

    /// The terminal item; only then the fields below mean something.
    bool finished = false;
    /// As in channel_end, which chunk_channel::reason() gives with the diagnostics.
    tandem::finish_reason finish_reason = tandem::finish_reason::eos;
    error_code error{};
};

}  // namespace tandem
