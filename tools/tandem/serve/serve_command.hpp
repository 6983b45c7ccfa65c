#pragma once

#include "flags/named_server.hpp"
#include "gateway/sessions/gateway_options.hpp"
#include "recording/record_flags.hpp"
#include "serve/tls_files.hpp"
#include "terminal/log_output.hpp"

#include "tandem/duration.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace tandem::command {

struct serve_options {
    /// Already checked, except for `models`, which the command derives from `servers`.
    gateway::gateway_options gateway{};
    /// The servers, at least one. Servers without a model name are queried for it.
    std::vector<named_server> servers{};
    /// The key file, which SIGHUP reloads; empty = no keys.
    std::string key_file{};
    /// The TLS files of the gateway, which SIGHUP reloads.
    tls_files tls{};
    /// A file, "-" for stdout, or empty.
    std::string audit{};
    record_options record{};
    /// How long running replies may continue after a stop.
    duration drain = std::chrono::seconds(30);
    tandem::log_level log_level = tandem::log_level::info;
    tandem::command::log_format log_format = tandem::command::log_format::text;
};

/// Runs `tandem serve`; returns the exit status.
int run_serve(serve_options options);

}  // namespace tandem::command
