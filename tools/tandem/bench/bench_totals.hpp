#pragma once

#include "bench/bench_report.hpp"
#include "bench/capacity_report.hpp"
#include "run/latency_histogram.hpp"

#include "tandem/result.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace tandem::command {

/// Timestamps of one turn at the consumer.
struct turn_times {
    using time_point = std::chrono::steady_clock::time_point;
    struct spoken_chunk_times {
        time_point arrived{};
        time_point continued{};  ///< equals `arrived` until the chunk is continued
        int tokens = 0;
        duration speech{};
    };
    time_point due{};    ///< scheduled start
    time_point began{};  ///< when the reply was requested
    /// The first max_chunks chunks, in the order of their seq.
    std::vector<spoken_chunk_times> chunks{};

    static constexpr std::size_t max_chunks = 4096;
    void add_chunk(time_point arrived, int tokens = 0, duration speech = {});
};

/// A connection that the client closed to cancel a request.
struct cut_record {
    std::string server{};
    int slot = 0;
    turn_times::time_point at{};
};

/// A cancelled request as the server observed it.
struct observed_cut {
    std::string server{};
    int slot = 0;
    turn_times::time_point arrived{};
    turn_times::time_point closed{};
};

/// Accumulates the turns of one or more event loops. Pure; not thread-safe.
class bench_totals {
 public:
    /// Upper bound of the memory of one object, without its error messages.
    static std::size_t max_memory_bytes() noexcept;
    /// Number of recent cuts kept for add_cut_latencies().
    static constexpr std::size_t max_cuts = 4096;

    /// `stopped`: whether the end of the run cut the reply short.
    void add(const turn_times& t, const reply_result& r, bool stopped);
    /// Measures the time from each kept cut until the server observed the cut, as listed in `seen`.
    void add_cut_latencies(const std::vector<observed_cut>& seen);

    bench_stats figures() const;

 private:
    void count(const reply_result& r, bool stopped);
    void add_waits(const turn_times& t, const reply_result& r);
    void add_time_line(const turn_times& t, const reply_result& r);
    void add_gaps(const turn_times& t);
    void keep_cut(cut_record c);

    bench_stats figures_;  // without the latencies
    latency_histogram late_, first_token_, first_chunk_, gap_, hand_over_;
    latency_histogram cut_to_close_, cut_to_idle_, queue_wait_, guard_wait_;
    std::vector<cut_record> cuts_;
    std::size_t next_cut_ = 0;  // the oldest cut once `cuts_` is full
};

/// Accumulates the figures of the second half of a capacity step. A wait for a chunk counts if it
/// ends in this half. A wait that is unfinished at the end of the step counts with its duration so
/// far. Pure; not thread-safe.
class capacity_totals {
 public:
    using time_point = turn_times::time_point;

    /// Waits that ended before `from` are ignored.
    explicit capacity_totals(time_point from) : from_(from) {}

    /// `t`: a turn that ended at `now`.
    void add_ended(const turn_times& t, bool failed, time_point now);
    /// `t`: a turn that is running at `now`, the end of the step.
    void add_running(const turn_times& t, time_point now);
    capacity_step result(int callers, time_point now) const;

 private:
    void add_waits(const turn_times& t, time_point now);

    time_point from_;
    latency_histogram first_chunk_;
    latency_histogram gap_;
    capacity_step sums_;
};

}  // namespace tandem::command
