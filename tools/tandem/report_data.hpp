#pragma once

#include "replay_totals.hpp"

#include "tandem/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What `tandem replay --report` shows: the data of a run, kept until its end.
namespace tandem::command {

struct report_chunk {
    int seq = 0;
    std::string text{};
    std::string speech{};
    std::string_view boundary{};  ///< a literal
    int tokens = 0;
    int slot = -1;
    int cached = 0;
    int evaluated = 0;
    double guard_wait_ms = 0;
    double gap_ms = 0;
};

/// One reply that ended.
struct report_reply {
    std::string id{};
    int turn = 0;
    /// What the user said last, or the raw prompt.
    std::string prompt{};
    /// Since the start of the run.
    double start_ms = 0;
    tandem::finish_reason finish = tandem::finish_reason::error;
    /// In words, if it failed.
    std::string fault{};
    std::string unspoken_text{};
    std::string reasoning{};
    token_usage usage{};
    slot_metrics metrics{};
    /// As they may be shown.
    std::vector<std::string> servers{};
    std::vector<timeline_event> timeline{};
    std::vector<report_chunk> chunks{};

    /// From start to the first token of all; -1 if none came.
    double first_token_ms() const noexcept;
    double cached_share() const noexcept { return usage.cache_hit_ratio(); }
};

/// A run.
struct report_run {
    /// What was run: names and values, in the order in which they are shown.
    std::vector<std::pair<std::string, std::string>> settings{};
    std::vector<report_reply> replies{};
    /// Replies that ended, and are not among them for want of room.
    int left_out = 0;
    /// Over the replies, those left out too.
    spread first_token_ms{};
    spread guard_wait_ms{};
    int cuts = 0;
    /// Servers at which nothing could be started, in words.
    std::vector<std::string> faults{};
    replay_summary summary{};
};

}  // namespace tandem::command
