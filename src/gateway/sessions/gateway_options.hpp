#pragma once

#include "cluster/cluster_options.hpp"
#include "gateway/access/api_keys.hpp"
#include "gateway/adapters/adapter_set.hpp"
#include "gateway/answers/answer_cache.hpp"
#include "gateway/http/tls_credentials.hpp"
#include "gateway/policy/prompt_filter.hpp"
#include "gateway/traces/trace_options.hpp"
#include "gateway/voice/voice_limits.hpp"

#include "tandem/duration.hpp"
#include "tandem/instruments.hpp"
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

struct model_servers {
    std::string name{};
    std::vector<std::string> servers{};

    friend bool operator==(const model_servers&, const model_servers&) = default;
};

/// Settings of a gateway.
struct gateway_options {
    service_config service{};
    tandem::instruments instruments{};
    /// The model's name for clients. Requests with any other name get this model, too.
    std::string model = "default";
    /// Used instead of `model` and the service's servers if there are several models. No server may
    /// belong to two models.
    std::vector<model_servers> models{};
    /// LoRA adapters that clients may select and operators may deploy.
    std::vector<allowed_adapter> adapters{};
    /// JSON file that stores the deployed adapters; empty = they are lost on exit.
    std::string state_file{};
    /// An IP address or `localhost`.
    std::string address = "127.0.0.1";
    /// 0 = any free port.
    std::uint16_t port = 8090;
    /// Empty = no authentication.
    api_keys keys{};
    /// nullopt = plain text.
    std::optional<tls_credentials> tls{};
    /// Origins of the web pages that may use the gateway, such as `https://bot.example`, or `*` for
    /// all origins, which requires keys. Pages from this machine may use a gateway without keys,
    /// but can read its answers only if their origin is listed here.
    std::vector<std::string> allowed_origins{};
    prompt_rules prompts{};
    /// Whether answers are streamed by token or by chunk, unless the request says so.
    tandem::stream_by stream_by = tandem::stream_by::token;

    /// Cache of complete answers at temperature 0, for repeated questions.
    cache_limits answer_cache = default_answer_cache_limits;

    /// Maximum number of open connections. Further ones are closed without a response.
    std::size_t max_connections = 10'000;
    std::size_t max_header_bytes = std::size_t{64} << 10;
    std::size_t max_body_bytes = std::size_t{16} << 20;
    duration handshake_timeout = std::chrono::seconds(10);
    /// Timeout for receiving a whole request, from its first byte. The first byte of a connection
    /// must arrive within the same time.
    duration read_timeout = std::chrono::seconds(30);
    /// Timeout between two requests on a connection. Longer than that of most proxies (60 s), so
    /// that the proxy closes the connection first.
    duration idle_timeout = std::chrono::seconds(75);
    /// Timeout for each write of a response.
    duration write_timeout = std::chrono::seconds(30);

    /// Limits of the voice WebSocket.
    voice_limits voice{};

    /// Shares the slots of the servers with other gateways; nullopt = all slots are this gateway's.
    /// Connections to the store trust the same certificates as those to the servers.
    std::optional<cluster::cluster_options> cluster{};

    /// Traces of replies. Connections to the collector use the proxy and the trusted certificates
    /// of the service's servers.
    trace_options traces{};

    /// Receives one line of JSON per request (audit_line.hpp); may be empty. Called on the
    /// gateway's loop.
    std::function<void(std::string_view)> audit{};
    /// Whether the audit line contains the prompt.
    bool audit_prompts = false;
};

struct audit_record;

/// Passes an audit record to the audit function and, at this level, to the log.
void log_and_audit(const gateway_options& o, const audit_record& record, log_level level);

/// Logs `what` and the exception that is being handled.
void log_current_exception(const gateway_options& o, std::string_view what);

/// The served models with their servers; at least one.
std::vector<model_servers> list_models(const gateway_options& o);
std::vector<std::string> list_model_names(const std::vector<model_servers>& models);

/// Returns all faults of `o`; empty if it is valid. Checks `address` only for whether other
/// machines could reach a gateway without keys. Does not check `tls` (see tls_context.hpp).
std::vector<config_fault> check(const gateway_options& o);

}  // namespace tandem::gateway
