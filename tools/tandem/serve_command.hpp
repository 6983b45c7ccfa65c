#pragma once

#include "gateway/gateway_options.hpp"
#include "log_output.hpp"

#include "tandem/duration.hpp"

#include <chrono>
#include <string>

namespace tandem::command {

/// What `tandem serve` was asked for.
struct serve_options {
    /// Free of faults, but for the model: where it is empty a server is asked for it.
    gateway::gateway_options gateway{};
    /// Where the keys came from, to be read again; empty = there are none.
    std::string key_file{};
    /// A file, "-" for stdout, or empty.
    std::string audit{};
    /// How long replies may run on when it is stopped.
    duration drain = std::chrono::seconds(30);
    tandem::log_level log_level = tandem::log_level::info;
    tandem::command::log_format log_format = tandem::command::log_format::text;
};

/// Carries out `tandem serve`; returns the exit status.
int run_serve(const serve_options& options);

}  // namespace tandem::command
