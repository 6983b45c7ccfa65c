#pragma once

#include "run/ratio.hpp"
#include "run/replay_events.hpp"
#include "run/server_stats.hpp"

#include "tandem/conversation.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Distribution of durations in ms; -1 without samples.
struct percentiles {
    double p50 = -1;
    double p90 = -1;
    double p99 = -1;
    double max = -1;
};

/// Accepts any number of durations, in any order.
percentiles compute_percentiles(std::vector<double> times_ms);

/// Figures of a whole run.
struct replay_summary {
    int replies = 0;  ///< requested replies and replies to results: the sum of the next four counts
    int complete = 0;
    int failed = 0;
    int interrupted = 0;
    int not_started = 0;

    /// Replies whose server failed, retries of all replies, and replies that continued after a
    /// failure.
    int lost_servers = 0;
    std::int64_t retries = 0;
    int went_on = 0;

    /// Of the turns with expectations: those that were checked, those that did not meet an
    /// expectation, and those that did not finish.
    int checked_turns = 0;
    int broken_turns = 0;
    int unchecked_turns = 0;

    std::int64_t chunks = 0;
    std::int64_t calls = 0;  ///< of functions
    std::int64_t generated = 0;
    std::int64_t handed_over = 0;
    std::int64_t heard = 0;
    std::int64_t wasted = 0;
    std::int64_t cached = 0;
    std::int64_t evaluated = 0;
    std::int64_t warmed = 0;
    std::int64_t drafted = 0;
    std::int64_t draft_wasted = 0;
    std::int64_t prefilled = 0;
    std::int64_t cuts = 0;
    std::int64_t guard_waits = 0;
    double guard_wait_ms = 0;

    /// Of the replies that had a first token.
    percentiles first_token_ms{};
    /// Of the replies that had a chunk.
    percentiles first_chunk_ms{};
    /// From a continue to the next hand-over, without the first chunk of each reply.
    percentiles gap_ms{};
    /// Total wait of the requests of a reply, for replies that sent a request.
    percentiles slot_wait_ms{};
    /// The part of slot_wait_ms that the reuse guard caused.
    percentiles guard_part_ms{};

    std::vector<server_stats> servers{};
    conversation_stats conversations{};

    double total_ms = 0;
    /// CPU time of this process.
    double cpu_ms = 0;

    double cache_hit_ratio() const noexcept { return ratio(cached, cached + evaluated); }
    /// 0 if no tokens were generated.
    double cpu_us_per_token() const noexcept { return ratio(cpu_ms * 1000, generated); }
};

/// The first event for which this is true brings the reply's first token: a first_token event or,
/// if the reply continues from a draft, its first chunk.
bool has_first_token(const timeline_event& e, const reply_result& r) noexcept;

/// Returns the time from the start of a reply to its first token; -1 if there is none.
double first_token_ms(const reply_result& r) noexcept;

/// Accumulates the results of a run.
class replay_totals {
 public:
    explicit replay_totals(int replies, const std::vector<std::string>& servers = {});

    /// Call this before a reply to function results, which the constructor's `replies` does not
    /// include.
    void expect_reply() noexcept { ++summary_.replies; }
    /// Sets the number of turns with expectations.
    void expect_checks(int turns) noexcept { summary_.unchecked_turns = turns; }
    void add(const chunk& c);
    void add(const end_event& e);
    /// A conversation ended.
    void add(const conversation_metrics& m);
    void set_server_state(std::string_view url, std::string state) {
        if (auto* s = find(url)) s->state = std::move(state);
    }

    int ended() const noexcept {
        return summary_.complete + summary_.failed + summary_.interrupted;
    }
    int failed() const noexcept { return summary_.failed; }
    int replies() const noexcept { return summary_.replies; }

    /// Returns the figures so far. The caller measures the two times.
    replay_summary summary(double total_ms, double cpu_ms) const;

 private:
    void add(const reply_result& r);
    server_stats* find(std::string_view url);

    replay_summary summary_;
    std::vector<double> first_token_ms_;  // at most one per reply
    std::vector<double> first_chunk_ms_;  // at most one per reply
    std::vector<double> slot_wait_ms_;    // at most one per reply
    std::vector<double> guard_part_ms_;   // at most one per reply
    std::vector<double> gap_ms_;          // the first max_gaps
};

}  // namespace tandem::command
