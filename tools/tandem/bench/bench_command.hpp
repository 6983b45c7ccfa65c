#pragma once

#include "bench/bench_plan.hpp"
#include "flags/speech_pace.hpp"
#include "terminal/color.hpp"

#include "tandem/service.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// What `tandem bench` was asked for.
struct bench_options {
    /// The servers, each once; empty = that of `server`.
    service_config service{};
    /// A mock server in this process takes the servers' place.
    bool mock = false;
    double mock_tokens_per_second = 50;  ///< of each slot; 0 = as fast as it can
    load_rules load{};
    int concurrency = 8;
    /// A file of prompts, "-" for stdin, or empty; without any prompts, those that are built in.
    std::string file{};
    std::vector<std::string> prompts{};
    std::vector<std::string> user_messages{};
    speech_pace pace{};
    duration wait{};
    bool json = false;
    color_choice color = color_choice::automatic;
    std::optional<tandem::log_level> log_level{};
};

/// Carries out `tandem bench`; returns the exit status.
int run_bench(const bench_options& options);

}  // namespace tandem::command
