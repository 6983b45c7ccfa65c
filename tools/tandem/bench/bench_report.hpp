#pragma once

#include "run/latencies.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tandem::command {

/// What a run was, for those who read its figures.
struct bench_setting {
    std::vector<std::string> servers{};  ///< as they may be shown
    /// Of the mock server in this process; 0 slots = there was none. 0 tokens a second = as fast as
    /// it can.
    int mock_slots = 0;
    double mock_tokens_per_second = 0;
    int concurrency = 0;
    double rate = 0;  ///< new turns a second; 0 = closed loop
    bool is_even = false;
    double words_per_minute = 0;  ///< of the voice; 0 = at once
    std::string pacing{};
    int slots = 0;              ///< of each server that are used; 0 = all that it has
    std::string reuse_guard{};  ///< as its flag is written
};

/// What the replies of a run were. Counts and times; see docs/bench.md for what each is.
struct bench_figures {
    std::int64_t replies = 0;  ///< that have ended: the sum of the four below
    std::int64_t complete = 0;
    std::int64_t failed = 0;
    std::int64_t interrupted = 0;                   ///< as their line of the file of prompts says
    std::int64_t stopped = 0;                       ///< as the run was
    std::map<std::string, std::int64_t> errors{};   ///< by code
    std::map<std::string, std::string> messages{};  ///< of the first error of each code

    std::int64_t chunks = 0;
    std::int64_t generated = 0;
    std::int64_t wasted = 0;
    std::int64_t cached = 0;
    std::int64_t evaluated = 0;
    std::int64_t requests = 0;
    std::int64_t cuts = 0;
    std::int64_t retries = 0;

    latency_figures late{};
    latency_figures first_token{};
    latency_figures first_chunk{};
    latency_figures gap{};
    latency_figures hand_over{};
    latency_figures cut_to_close{};
    latency_figures cut_to_idle{};
    latency_figures queue_wait{};
    latency_figures guard_wait{};
};

/// What the run cost.
struct bench_cost {
    double seconds = 0;
    double loop_cpu_seconds = 0;  ///< of the event loop's thread
    std::int64_t rss_before = 0;  ///< bytes
    std::int64_t rss_peak = 0;
    int peak_streams = 0;
    std::size_t measuring_bytes = 0;
};

struct bench_report {
    bench_setting setting{};
    bench_figures figures{};
    bench_cost cost{};
    std::int64_t missed = 0;  ///< turns of an open loop that had no conversation left
    bool was_stopped = false;

    /// 0 where nothing was generated, or the run took no time.
    double cpu_us_per_token() const noexcept;
    double tokens_per_second() const noexcept;
    /// Of those that were not failed, nor stopped with the run.
    double replies_per_second() const noexcept;
    /// Busy share of the event loop, 0 to 1.
    double loop_load() const noexcept;
    /// 0 if no stream was seen, or memory did not grow.
    std::int64_t bytes_per_stream() const noexcept;
};

}  // namespace tandem::command
