#pragma once

#include "gateway/access/api_keys.hpp"
#include "gateway/adapters/adapter_set.hpp"
#include "gateway/answers/answer_cache.hpp"
#include "gateway/http/tls_credentials.hpp"
#include "gateway/policy/prompt_policy.hpp"
#include "gateway/telemetry/gateway_metrics.hpp"
#include "gateway/voice/voice_limits.hpp"

#include "tandem/duration.hpp"
#include "tandem/service_config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// A model, and the servers that have it.
struct model_servers {
    std::string name{};
    std::vector<std::string> servers{};

    friend bool operator==(const model_servers&, const model_servers&) = default;
};

/// How the gateway listens, and what it lets through.
struct gateway_options {
    service_config service{};
    /// As clients know the model; any other name is taken for it, too.
    std::string model = "default";
    /// Where there are several: each with its servers, which no other one has. They are instead of
    /// `model` and of the service's servers then.
    std::vector<model_servers> models{};
    /// LoRA adapters that clients may ask for, and operators may deploy.
    std::vector<allowed_adapter> adapters{};
    /// A JSON file that remembers what is deployed; empty = that is forgotten at the end.
    std::string state_file{};
    /// An address, not a name.
    std::string address = "127.0.0.1";
    /// 0 = one that is free.
    std::uint16_t port = 8090;
    /// None: whoever reaches the port may do all.
    api_keys keys{};
    /// Nothing: clients talk to it in plain text.
    std::optional<tls_credentials> tls{};
    prompt_rules prompts{};
    /// In which pieces answers are streamed to clients that do not say.
    tandem::stream_by stream_by = tandem::stream_by::token;

    /// Whole answers at temperature 0, for those who ask the same again.
    cache_limits answer_cache = default_answer_cache;

    /// One more is closed at once, silently.
    std::size_t max_connections = 10'000;
    std::size_t max_header_bytes = std::size_t{64} << 10;
    std::size_t max_body_bytes = std::size_t{16} << 20;
    /// For TLS to be agreed upon.
    duration handshake_timeout = std::chrono::seconds(10);
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

struct audit_record;

/// Gives what is remembered of a request to the audit, and to the log at this level.
void write_down(const gateway_options& o, const audit_record& record, log_level level);

/// Tells the log what the exception that is being handled has ended, and what it says.
void log_exception(const gateway_options& o, std::string_view what);

/// The models that are served, with their servers: one at least.
std::vector<model_servers> models_of(const gateway_options& o);
std::vector<std::string> names_of(const std::vector<model_servers>& models);
/// The same, server by server.
std::vector<measured_server> measured_servers(const gateway_options& o);

/// All faults of `o`; empty if it can be used. Addresses are not looked at but for who reaches
/// them, and what is in `tls` is not looked at (tls_context.hpp).
std::vector<config_fault> check(const gateway_options& o);

}  // namespace tandem::gateway
