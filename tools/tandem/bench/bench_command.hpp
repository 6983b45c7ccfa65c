#pragma once

#include "bench/arrival_schedule.hpp"
#include "bench/capacity_report.hpp"
#include "flags/speech_pace.hpp"
#include "flags/user_speech_flags.hpp"
#include "terminal/color.hpp"

#include "tandem/service.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// Options of `tandem bench --capacity`.
struct capacity_options {
    latency_limits limits{};
    duration step_time = std::chrono::seconds(20);
};

struct bench_options {
    /// The servers, without duplicates; if empty, the server in `client.server.url`.
    service_config service{};
    /// Replaces the servers with mock servers in this process.
    bool mock = false;
    double mock_tokens_per_second = 50;  ///< per slot; 0 = as fast as possible
    load_profile load{};
    int concurrency = 8;
    /// If set, searches for the largest number of callers instead of using `load` and
    /// `concurrency`.
    std::optional<capacity_options> capacity{};
    /// A file of prompts, "-" for stdin, or empty. Without any prompts, the run uses built-in
    /// prompts.
    std::string file{};
    std::vector<std::string> prompts{};
    std::vector<std::string> user_messages{};
    speech_pace pace{};
    user_speech_rules users{};
    duration wait{};
    bool json = false;
    color_choice color = color_choice::automatic;
    std::optional<tandem::log_level> log_level{};
};

/// Runs `tandem bench`; returns the exit status.
int run_bench(const bench_options& options);

}  // namespace tandem::command
