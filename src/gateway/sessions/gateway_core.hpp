#pragma once

#include "base/time.hpp"
#include "cluster/cluster_member.hpp"
#include "gateway/access/authorizer.hpp"
#include "gateway/answers/answer_cache.hpp"
#include "gateway/http/tls_context.hpp"
#include "gateway/policy/prompt_filter.hpp"
#include "gateway/requests/generation_request.hpp"
#include "gateway/sessions/adapter_deployer.hpp"
#include "gateway/sessions/gateway_options.hpp"
#include "gateway/sessions/generation_job.hpp"
#include "gateway/sessions/kept_responses.hpp"
#include "gateway/sessions/served_models.hpp"
#include "gateway/sessions/voice_session_host.hpp"
#include "gateway/telemetry/gateway_metrics.hpp"
#include "gateway/traces/trace_exporter.hpp"
#include "gateway/voice/voice_session_table.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <string_view>

namespace tandem::gateway {

class connection;

/// State that all requests and voice sessions of a gateway share. Use it on the gateway's loop.
/// Pending operations keep this object alive.
struct gateway_core : std::enable_shared_from_this<gateway_core> {
    gateway_core(const boost::asio::any_io_executor& its_executor, gateway_options o);

    request_defaults defaults() const {
        return {.generation = options.service.client.generation,
                .stream_by = options.stream_by,
                .max_body_bytes = options.max_body_bytes};
    }
    bool caches_answers() const noexcept { return options.answer_cache.entries > 0; }

    /// In a cluster, shares the slots of these servers. Call this before the first request to them.
    void share_servers(const model_servers& servers);
    /// Like served_models::set_server_drained(), but for all gateways of the cluster.
    void set_server_drained(const std::string& server, bool is_drained);

    /// Begins the trace of a turn; nullopt if the trace is not recorded.
    std::optional<traced_turn> begin_trace(std::string_view traceparent, time_point now);
    void end_trace(traced_turn turn, time_point now);

    const boost::asio::any_io_executor executor;
    const gateway_options options;
    const std::shared_ptr<adapter_deployer> deployer;
    served_models models;
    /// nullptr if the gateway is not in a cluster, or has left it.
    std::shared_ptr<cluster::cluster_member> cluster;
    authorizer gate;
    const prompt_filter filter;
    /// New connections use this context; nullptr without TLS.
    std::shared_ptr<boost::asio::ssl::context> tls{};
    /// Declared after `models`, so that the conversations in this table are destroyed before their
    /// services.
    affinity_table places{affinity_table_limits};
    kept_response_table responses{kept_response_limits};
    answer_cache answers;
    /// Unix time in seconds.
    const std::int64_t started_at = std::time(nullptr);
    gateway_metrics metrics;
    /// nullptr without traces, and once the gateway is closed.
    std::unique_ptr<trace_exporter> traces;
    /// Source of ids. They must be unpredictable, because the id of a session gives access to it.
    std::random_device random{};
    voice_session_table known_sessions;
    bool is_stopping = false;
    voice_session_host voices{*this};
    /// The open connections.
    std::set<connection*> connections{};
};

}  // namespace tandem::gateway
