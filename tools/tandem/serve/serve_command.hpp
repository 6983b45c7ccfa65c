#pragma once

#include "flags/named_server.hpp"
#include "gateway/sessions/gateway_options.hpp"
#include "recording/record_flags.hpp"
#include "serve/tls_files.hpp"
#include "terminal/log_output.hpp"

#include "tandem/duration.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace tandem::command {

/// What `tandem serve` was asked for.
struct serve_options {
    /// Free of faults, except its models, which are made of the following.
    gateway::gateway_options gateway{};
    /// The servers, at least one. Those without a model are asked for it.
    std::vector<named_server> servers{};
    /// Where the keys came from, to be read again; empty = there are none.
    std::string key_file{};
    /// Where the gateway's TLS came from, to be read again.
    tls_files tls{};
    /// A file, "-" for stdout, or empty.
    std::string audit{};
    record_options record{};
    /// How long replies may run on when it is stopped.
    duration drain = std::chrono::seconds(30);
    tandem::log_level log_level = tandem::log_level::info;
    tandem::command::log_format log_format = tandem::command::log_format::text;
};

/// Carries out `tandem serve`; returns the exit status.
int run_serve(serve_options options);

}  // namespace tandem::command
