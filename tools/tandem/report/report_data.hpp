#pragma once

#include "recording/expectation_check.hpp"
#include "run/replay_totals.hpp"

#include "tandem/chunk.hpp"
#include "tandem/result.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

// The data that `tandem replay --report` collects during a run.
namespace tandem::command {

/// Maximum number of replies in a report, and maximum bytes that they take, in memory and in the
/// page. Replies beyond these limits are only counted.
inline constexpr std::size_t max_report_replies = 500;
inline constexpr std::size_t max_report_bytes = std::size_t{32} << 20;

/// A reply that has ended.
struct report_reply {
    std::string id{};
    /// The reply's number in its line, from 0.
    int reply = 0;
    /// The latest user message, or the raw prompt.
    std::string prompt{};
    /// Relative to the start of the run.
    double start_ms = 0;
    /// The error message if the reply failed.
    std::string fault{};
    /// `text` is empty, because `chunks` contains it. The URLs of servers are in display form.
    reply_result result{};
    /// Without the servers.
    std::vector<chunk> chunks{};
};

/// A turn that did not meet an expectation.
struct report_broken_turn {
    /// The name of the reply that ended the turn.
    std::string reply{};
    checked_turn outcome{};
};

/// The data of one run.
struct report_run {
    /// Settings of the run as names and values, in display order.
    std::vector<std::pair<std::string, std::string>> settings{};
    /// The first replies that ended.
    std::vector<report_reply> replies{};
    /// Replies omitted because of the limits.
    int left_out = 0;
    /// The first max_report_replies turns that did not meet an expectation.
    std::vector<report_broken_turn> broken_turns{};
    /// Messages about unusable servers.
    std::vector<std::string> faults{};
    replay_summary summary{};
};

}  // namespace tandem::command
