#pragma once

#include "run/replay_totals.hpp"

#include "tandem/chunk.hpp"
#include "tandem/result.hpp"

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

// What `tandem replay --report` shows: the data of a run, kept until its end.
namespace tandem::command {

/// Replies in a report, what is kept of them, and what is written of them; further ones are counted
/// only.
inline constexpr std::size_t max_report_replies = 500;
inline constexpr std::size_t max_report_bytes = std::size_t{32} << 20;

/// One reply that ended.
struct report_reply {
    std::string id{};
    int turn = 0;
    /// What the user said last, or the raw prompt.
    std::string prompt{};
    /// Since the start of the run.
    double start_ms = 0;
    /// In words, if it failed.
    std::string fault{};
    /// Without its text, which the chunks have. Its servers are as they may be shown.
    reply_result result{};
    /// Without their servers.
    std::vector<chunk> chunks{};
};

/// A run.
struct report_run {
    /// What was run: names and values, in the order in which they are shown.
    std::vector<std::pair<std::string, std::string>> settings{};
    /// The first ones that ended.
    std::vector<report_reply> replies{};
    /// Replies that ended, and are not among them for want of room.
    int left_out = 0;
    /// Servers at which nothing could be started, in words.
    std::vector<std::string> faults{};
    replay_summary summary{};
};

}  // namespace tandem::command
