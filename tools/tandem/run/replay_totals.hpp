#pragma once

#include "run/replay_events.hpp"
#include "run/server_figures.hpp"

#include "tandem/conversation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// How times are spread, in ms; -1 if there was none.
struct spread {
    double p50 = -1;
    double p90 = -1;
    double max = -1;
};

/// Of any number of times, in any order.
spread spread_of(std::vector<double> times_ms);

/// Figures of a whole run.
struct replay_summary {
    int replies = 0;  ///< that were asked for: the sum of the four below
    int complete = 0;
    int failed = 0;
    int interrupted = 0;
    int not_started = 0;

    /// Replies whose server failed, and how often that was; and those that continued after that.
    int lost_servers = 0;
    std::int64_t retries = 0;
    int went_on = 0;

    std::int64_t chunks = 0;
    std::int64_t generated = 0;
    std::int64_t handed_over = 0;
    std::int64_t heard = 0;
    std::int64_t wasted = 0;
    std::int64_t cached = 0;
    std::int64_t evaluated = 0;
    std::int64_t warmed = 0;
    std::int64_t cuts = 0;
    std::int64_t guard_waits = 0;
    double guard_wait_ms = 0;

    /// Over the replies that a first token came of.
    spread first_token_ms{};
    /// Over the replies that had a chunk.
    spread first_chunk_ms{};
    /// Over all chunks but the first of each reply: from a continue to the next hand-over.
    spread gap_ms{};
    /// Over the replies that sent a request: what all of its requests waited.
    spread slot_wait_ms{};
    /// The guard's part of that.
    spread guard_part_ms{};

    std::vector<server_figures> servers{};
    conversation_figures conversations{};

    double total_ms = 0;
    /// Processor time of this process.
    double cpu_ms = 0;

    double cache_hit_ratio() const noexcept;
    /// 0 if no token was generated.
    double cpu_us_per_token() const noexcept;
};

/// From a reply's start to the first token of all; -1 if none came.
double first_token_ms(const reply_result& r) noexcept;

/// Adds up the results of a run.
class replay_totals {
 public:
    explicit replay_totals(int replies, const std::vector<std::string>& servers = {});

    void add(const chunk& c);
    void add(const end_event& e);
    /// A conversation ended.
    void add(const conversation_metrics& m);
    void server_is(std::string_view url, std::string state);

    int ended() const noexcept;
    int failed() const noexcept { return summary_.failed; }
    int replies() const noexcept { return summary_.replies; }

    /// The figures so far, with the times that the caller has measured.
    replay_summary summary(double total_ms, double cpu_ms) const;

 private:
    void add(const reply_result& r);
    server_figures* find(std::string_view url);

    replay_summary summary_;
    std::vector<double> first_token_ms_;  // one for each reply at most
    std::vector<double> first_chunk_ms_;  // the same
    std::vector<double> slot_wait_ms_;    // the same
    std::vector<double> guard_part_ms_;   // the same
    std::vector<double> gap_ms_;          // the first max_gaps
};

}  // namespace tandem::command
