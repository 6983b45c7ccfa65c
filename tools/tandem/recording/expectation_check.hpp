#pragma once

#include "recording/expectation.hpp"

#include "tandem/result.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tandem::command {

/// The outcome of a turn, including replies to function results.
struct turn_outcome {
    /// The delivered texts, one per line.
    std::string text{};
    std::vector<tool_call> calls{};
    /// The finish reason of the last reply.
    tandem::finish_reason finish_reason = tandem::finish_reason::error;
    /// The time to the first chunk of the first reply; -1 if it had none.
    double first_chunk_ms = -1;
    double longest_gap_ms = 0;
    int chunks = 0;
    double total_ms = 0;
    int replies = 0;
    /// Why a reply failed; empty if none did.
    std::string failure{};

    void add(const reply_result& r);
};

/// An expectation that is not met.
struct broken_expectation {
    /// The field of `expect`, or "reply" for a reply that failed.
    std::string name{};
    std::string expected{};
    /// The actual value, shortened.
    std::string got{};
};

/// The result of checking the expectations of one turn.
struct checked_turn {
    /// Line of the file, from 1; 0 without a file.
    std::size_t line = 0;
    /// Turn of the line, from 1.
    int turn = 1;
    double total_ms = 0;
    std::vector<broken_expectation> broken{};
};

/// Limits the time of a search: longer text meets neither `text` nor `not_text`.
inline constexpr std::size_t max_searched_bytes = 64u << 10;

/// Returns the expectations that are not met. If a reply failed, reports only that.
std::vector<broken_expectation> find_broken_expectations(const expectation& e,
                                                         const turn_outcome& actual);

/// Returns "line 3, turn 2"; "turn 2" without a file.
std::string format_place(const checked_turn& turn);

/// Returns "text: expected /noon/, got «It is one.»".
std::string describe(const broken_expectation& b);

}  // namespace tandem::command
