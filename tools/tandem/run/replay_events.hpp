#pragma once

#include "run/slot_figures.hpp"

#include "tandem/chunk.hpp"
#include "tandem/error.hpp"
#include "tandem/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Names a reply of a run: the line it belongs to, and its turn there from 0.
struct turn_name {
    std::string_view id{};
    int turn = 0;
};

/// How a reply is called wherever people read it: "p3", and for further turns "p3.1".
std::string name_text(const turn_name& name);

/// A reply was asked for.
struct start_event {
    turn_name where{};
    /// What the user said last, or the raw prompt.
    std::string_view prompt{};
};

struct chunk_event {
    turn_name where{};
    const tandem::chunk& chunk;
    /// CLOCK_MONOTONIC when the chunk reached this program.
    std::int64_t t_ns = 0;
    /// Since the reply's start, and since the chunk before was continued.
    double at_ms = 0;
    double gap_ms = 0;
    double speech_ms = 0;
    /// URL of the server that made it, which is left empty where it goes without saying.
    std::string_view server{};
};

/// A reply ended, well or not.
struct end_event {
    turn_name where{};
    const reply_result& result;
    std::int64_t t_ns = 0;
    /// How long its chunks were spoken, and how long they were waited for.
    double speech_ms = 0;
    double gap_ms = 0;
    /// What this program knows about an error besides the library's words; mostly empty.
    std::string hint{};
    /// Where it ended; empty too if it had no server.
    std::string_view server{};
    std::vector<slot_figures> slots{};
};

/// Nothing could be started at a server.
struct fault_event {
    error_code error{};
    const tandem::diagnostics& diagnostics;
    std::int64_t t_ns = 0;
    std::string_view server{};
    /// What becomes of the server besides; mostly empty.
    std::string_view hint{};
};

}  // namespace tandem::command
