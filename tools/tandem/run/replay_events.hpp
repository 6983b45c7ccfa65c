#pragma once

#include "recording/expectation_check.hpp"
#include "run/slot_stats.hpp"

#include "tandem/chunk.hpp"
#include "tandem/error.hpp"
#include "tandem/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Identifies a reply of a run: the id of its line, and its number in the line, from 0.
struct reply_name {
    std::string_view id{};
    int reply = 0;
    /// The turn of the line, from 0. Replies to function results belong to the same turn.
    int turn = 0;
};

/// Returns the displayed name of a reply: "p3", or "p3.1" for a later one.
std::string format_reply_name(const reply_name& name);

/// A reply was requested.
struct start_event {
    reply_name where{};
    /// The latest user message, or the raw prompt.
    std::string_view prompt{};
};

struct chunk_event {
    reply_name where{};
    const tandem::chunk& chunk;
    /// The time at which the chunk reached this program, from CLOCK_MONOTONIC.
    std::int64_t t_ns = 0;
    /// Time since the start of the reply, and since the previous continue.
    double at_ms = 0;
    double gap_ms = 0;
    double speech_ms = 0;
    /// URL of the chunk's server; empty if the run does not show servers.
    std::string_view server{};
};

/// A reply ended, successfully or not.
struct end_event {
    reply_name where{};
    const reply_result& result;
    std::int64_t t_ns = 0;
    /// How long the reply was spoken in total, and how long the listener waited for chunks in
    /// total.
    double speech_ms = 0;
    double gap_ms = 0;
    /// Advice of this program in addition to the library's message; usually empty.
    std::string hint{};
    /// The last server; empty if the reply had none, or if the run does not show servers.
    std::string_view server{};
    std::vector<slot_stats> slots{};
    /// Set if a turn with expectations ends with this reply.
    std::optional<checked_turn> checked{};
};

/// A server cannot be used.
struct fault_event {
    error_code error{};
    const tandem::diagnostics& diagnostics;
    std::int64_t t_ns = 0;
    std::string_view server{};
    /// The consequence for the run; usually empty.
    std::string_view hint{};
};

}  // namespace tandem::command
