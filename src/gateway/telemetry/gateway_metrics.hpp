#pragma once

#include "cluster/cluster_status.hpp"
#include "gateway/telemetry/process_stats.hpp"
#include "gateway/telemetry/voice_timing.hpp"

#include "tandem/chunk.hpp"
#include "tandem/duration.hpp"
#include "tandem/result.hpp"
#include "tandem/service_config.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

/// A configured server, and a model that it serves.
struct measured_server {
    std::string url{};
    std::string model{};
};

/// Current load of the gateway.
struct gateway_load {
    /// HTTP connections, including those upgraded to WebSockets.
    std::size_t connections = 0;
    std::size_t voice_sockets = 0;
    /// Includes sessions without a socket.
    std::size_t voice_sessions = 0;
};

/// Metrics of the gateway in Prometheus' text format; docs/metrics.md lists them. Label values are
/// bounded regardless of client input: servers are at most 256 of those that were passed, without
/// credentials and addresses; models are those passed to the constructor, routes are those of the
/// table; anything else is "other", and inapplicable labels are "none". Servers with the same label
/// are added up.
///
/// Thread-safety: count_dropped_traces() may be called from any thread, the others from one.
class gateway_metrics {
 public:
    /// `started_at` is Unix time in seconds.
    gateway_metrics(const std::vector<measured_server>& served, std::int64_t started_at);
    ~gateway_metrics();
    gateway_metrics(const gateway_metrics&) = delete;
    gateway_metrics& operator=(const gateway_metrics&) = delete;

    /// A response or a WebSocket has ended. `route` is route::path, or empty if no route matched;
    /// `status` is 0 if the client disconnected before the response.
    void record_request(std::string_view route, int status, duration took);
    /// A client that receives chunks one by one received a chunk.
    void record_chunk(std::string_view model, const chunk& c);
    /// `by_chunk`: the client received chunks as they came, rather than tokens or the whole reply.
    void record_reply(std::string_view model, const reply_result& result, bool by_chunk);
    /// The first chunk of a voice turn was sent `since_asked` after the turn was requested.
    /// `timing` splits the user's whole wait into parts, if known.
    void record_voice_latency(std::string_view model, duration since_asked,
                              const std::optional<voice_timing>& timing);

    /// A new session of the model was refused, because the servers are overloaded.
    void count_refused_session(std::string_view model);

    /// The traces of these turns could not be sent.
    void count_dropped_traces(std::size_t turns);

    /// Further servers.
    void add_servers(const std::vector<measured_server>& served);

    // Current values for the next text().
    void set_load(const gateway_load& load);
    /// See slots::speech_load.
    void set_speech_load(std::string_view model, double load);
    /// All servers; the values of others become 0.
    void set_servers(const std::vector<server_status>& servers);

    /// `cluster`: nullopt without one.
    std::string text(const process_stats& process = {},
                     const std::optional<cluster::cluster_status>& cluster = {}) const;

 private:
    class registry;
    std::unique_ptr<registry> all_;
};

}  // namespace tandem::gateway
