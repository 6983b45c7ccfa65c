#pragma once

#include "bench/bench_report.hpp"
#include "run/latencies.hpp"

#include "tandem/result.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace tandem::command {

/// When a consumer did what in one turn.
struct turn_times {
    using time_point = std::chrono::steady_clock::time_point;
    struct spoken {
        time_point came{};
        time_point continued{};
    };
    time_point due{};    ///< when it was to begin
    time_point began{};  ///< when the reply was asked for
    /// The chunks in their order, which is that of their seq; the first max_chunks.
    std::vector<spoken> chunks{};

    static constexpr std::size_t max_chunks = 4096;
    void add_chunk(time_point came);
};

/// A connection that was cut.
struct cut_mark {
    std::string server{};
    int slot = 0;
    turn_times::time_point at{};
};

/// A request that a server saw cut.
struct seen_cut {
    std::string server{};
    int slot = 0;
    turn_times::time_point arrived{};
    turn_times::time_point closed{};
};

/// Adds up the turns of one event loop, or of several. Pure; not thread-safe.
class bench_totals {
 public:
    /// What one object takes at most, except the figures themselves.
    static std::size_t bytes() noexcept;
    /// The latest cuts, which are kept for match().
    static constexpr std::size_t max_cuts = 4096;

    /// `stopped`: the run ended the reply.
    void add(const turn_times& t, const reply_result& r, bool stopped);
    /// How long cuts took to be seen, of those that are kept.
    void match(const std::vector<seen_cut>& seen);

    std::int64_t replies() const noexcept { return figures_.replies; }
    std::int64_t failed() const noexcept { return figures_.failed; }
    bench_figures figures() const;

 private:
    void count(const reply_result& r, bool stopped);
    void add_waits(const turn_times& t, const reply_result& r);
    void add_time_line(const turn_times& t, const reply_result& r);
    void add_gaps(const turn_times& t);
    void keep(cut_mark c);

    bench_figures figures_;  // without the times
    latencies late_, first_token_, first_chunk_, gap_, hand_over_;
    latencies cut_to_close_, cut_to_idle_, queue_wait_, guard_wait_;
    std::vector<cut_mark> cuts_;
    std::size_t next_cut_ = 0;  // where the next one is put, once all places are taken
};

}  // namespace tandem::command
