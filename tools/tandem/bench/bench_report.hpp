#pragma once

#include "flags/user_speech_flags.hpp"
#include "run/latency_histogram.hpp"
#include "run/ratio.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tandem::command {

/// Settings of a run, as the report shows them.
struct bench_setup {
    std::vector<std::string> servers{};  ///< display form of the URLs
    /// Settings of the mock servers in this process; 0 slots = no mock, 0 tokens per second = as
    /// fast as possible.
    int mock_slots = 0;
    double mock_tokens_per_second = 0;
    int concurrency = 0;
    double rate = 0;  ///< new turns per second; 0 = closed loop
    bool is_even = false;
    double words_per_minute = 0;  ///< of the voice; 0 = no speaking time
    user_speech_rules users{};
    std::string pacing{};
    int slots = 0;              ///< used slots per server; 0 = all
    std::string reuse_guard{};  ///< in the syntax of its flag
};

/// Counts and latencies of the replies in a run. docs/bench.md defines each of them.
struct bench_stats {
    std::int64_t replies = 0;  ///< ended replies: the sum of the next four counts
    std::int64_t complete = 0;
    std::int64_t failed = 0;
    std::int64_t interrupted = 0;                   ///< as their prompt line specifies
    std::int64_t stopped = 0;                       ///< at the end of the run
    std::map<std::string, std::int64_t> errors{};   ///< per code
    std::map<std::string, std::string> messages{};  ///< first message per code

    std::int64_t chunks = 0;
    std::int64_t generated = 0;
    std::int64_t wasted = 0;
    std::int64_t drafted = 0;
    std::int64_t draft_wasted = 0;
    std::int64_t prefilled = 0;
    std::int64_t cached = 0;
    std::int64_t evaluated = 0;
    std::int64_t requests = 0;
    std::int64_t cuts = 0;
    std::int64_t retries = 0;

    latency_stats late{};
    latency_stats first_token{};
    latency_stats first_chunk{};
    latency_stats gap{};
    latency_stats hand_over{};
    latency_stats cut_to_close{};
    latency_stats cut_to_idle{};
    latency_stats queue_wait{};
    latency_stats guard_wait{};
};

/// Resource usage of the run.
struct bench_resource_usage {
    double seconds = 0;
    double loop_cpu_seconds = 0;  ///< of the event loop thread
    std::int64_t rss_before = 0;  ///< bytes
    std::int64_t rss_peak = 0;
    int peak_streams = 0;
    std::size_t measuring_bytes = 0;
};

struct bench_report {
    bench_setup setting{};
    bench_stats figures{};
    bench_resource_usage cost{};
    std::int64_t missed = 0;  ///< turns of an open loop that were due but did not begin
    bool was_stopped = false;

    /// 0 if no tokens were generated or the run took no time.
    double cpu_us_per_token() const noexcept {
        return ratio(cost.loop_cpu_seconds * 1e6, figures.generated);
    }
    double tokens_per_second() const noexcept { return ratio(figures.generated, cost.seconds); }
    /// Counts complete and interrupted replies only.
    double replies_per_second() const noexcept {
        return ratio(figures.complete + figures.interrupted, cost.seconds);
    }
    /// Fraction of time that the event loop is busy, 0 to 1.
    double loop_load() const noexcept { return ratio(cost.loop_cpu_seconds, cost.seconds); }
    /// 0 if there were no streams or memory usage did not grow.
    std::int64_t bytes_per_stream() const noexcept {
        const auto grown = std::max<std::int64_t>(0, cost.rss_peak - cost.rss_before);
        return cost.peak_streams > 0 ? grown / cost.peak_streams : 0;
    }
};

}  // namespace tandem::command
