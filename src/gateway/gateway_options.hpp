#pragma once

#include "gateway/api_keys.hpp"
#include "gateway/prompt_policy.hpp"
#include "gateway/voice_limits.hpp"

#include "tandem/duration.hpp"
#include "tandem/service_config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// How the gateway listens, and what it lets through.
struct gateway_options {
    service_config service{};
    /// As clients know the model; any other name is taken for it, too.
    std::string model = "default";
    /// An address, not a name.
    std::string address = "127.0.0.1";
    /// 0 = one that is free.
    std::uint16_t port = 8090;
    /// None: whoever reaches the port may do all.
    api_keys keys{};
    prompt_rules prompts{};
    /// In which pieces answers are streamed to clients that do not say.
    tandem::stream_by stream_by = tandem::stream_by::token;

    /// One more is told so (503) and closed.
    std::size_t max_connections = 10'000;
    std::size_t max_header_bytes = std::size_t{64} << 10;
    std::size_t max_body_bytes = std::size_t{16} << 20;
    /// From a connection's opening, or a request's first byte, to its last one.
    duration read_timeout = std::chrono::seconds(30);
    /// Between two requests of a connection; longer than proxies keep them (60 s is usual).
    duration idle_timeout = std::chrono::seconds(75);
    /// For each part of an answer.
    duration write_timeout = std::chrono::seconds(30);

    /// Of the WebSocket.
    voice_limits voice{};

    /// Takes a line of JSON for each request (audit_line.hpp); may be empty. Called on the
    /// gateway's loop.
    std::function<void(std::string_view)> audit{};
    /// The prompt is part of that line.
    bool audit_prompts = false;
};

/// All faults of `o`; empty if it can be used. Addresses are not looked at but for who reaches
/// them.
std::vector<config_fault> check(const gateway_options& o);

}  // namespace tandem::gateway
