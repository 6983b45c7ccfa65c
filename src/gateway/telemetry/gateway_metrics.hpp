#pragma once

#include "cluster/cluster_status.hpp"
#include "gateway/telemetry/metric_families.hpp"
#include "gateway/telemetry/process_stats.hpp"
#include "gateway/telemetry/reply_series.hpp"
#include "gateway/telemetry/server_metrics.hpp"
#include "gateway/telemetry/voice_timing.hpp"

#include "tandem/chunk.hpp"
#include "tandem/duration.hpp"
#include "tandem/result.hpp"
#include "tandem/service_config.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::gateway {

struct gateway_load {
    /// HTTP connections, including those upgraded to WebSockets.
    std::size_t connections = 0;
    std::size_t voice_sockets = 0;
    /// Includes sessions without a socket.
    std::size_t voice_sessions = 0;
};

/// Metrics of the gateway in Prometheus' text format; docs/metrics.md lists them. Label values are
/// bounded regardless of client input: at most 256 of the passed servers, without credentials and
/// addresses; the models of add_servers(); and the routes of the table. Any other value is "other";
/// a label that does not apply is "none". Values of servers with the same label are added up.
///
/// Thread-safety: count_dropped_traces() may be called from any thread, all other functions from
/// one thread only.
class gateway_metrics {
 public:
    /// `started_at` is Unix time in seconds.
    explicit gateway_metrics(std::int64_t started_at);
    gateway_metrics(const gateway_metrics&) = delete;
    gateway_metrics& operator=(const gateway_metrics&) = delete;

    /// A response or a WebSocket has ended. `route` is route::path, or empty if no route matched;
    /// `status` is 0 if the client disconnected before the response.
    void record_request(std::string_view route, int status, duration took);
    /// A chunk was sent to a client that receives the reply chunk by chunk.
    void record_chunk(std::string_view model, const chunk& c);
    /// `by_chunk`: the client received chunks as they were completed, rather than tokens or the
    /// whole reply.
    void record_reply(std::string_view model, const reply_result& result, bool by_chunk);
    /// The first chunk of a voice turn was sent `since_asked` after the turn was requested.
    /// `timing` splits the user's whole wait into parts, if known.
    void record_voice_latency(std::string_view model, duration since_asked,
                              const std::optional<voice_timing>& timing);

    /// A new session of the model was refused, because the servers are overloaded.
    void count_refused_session(std::string_view model);

    /// The traces of these turns could not be sent.
    void count_dropped_traces(std::size_t turns);

    /// Servers of the model, by their URLs.
    void add_servers(const std::string& model, const std::vector<std::string>& urls);

    // Current values for the next to_prometheus_text().
    void set_load(const gateway_load& load);
    /// See slots::speech_load.
    void set_speech_load(std::string_view model, double load);
    /// Pass all servers: the values of servers that are not passed become 0.
    void set_servers(const std::vector<server_status>& servers);

    /// `cluster`: nullopt if the gateway is not in a cluster.
    std::string to_prometheus_text(
        const process_stats& process = {},
        const std::optional<cluster::cluster_status>& cluster = {}) const;

 private:
    void create_server_series(const std::string& model, const std::string& url);
    void create_voice_series(const std::string& model);
    std::string server_label(std::string_view url) const;
    std::string model_label(std::string_view model) const;
    reply_series find_reply_series(std::string_view model, std::string_view server);

    prometheus::Registry registry_;
    std::set<std::string, std::less<>> servers_;  // labels
    std::set<std::string, std::less<>> models_;
    std::map<prometheus::Labels, reply_series> series_;

    counter_family& requests_ =
        register_counters(registry_, "tandem_http_requests_total", "Completed requests.");
    histogram_family& request_duration_ =
        register_histograms(registry_, "tandem_http_request_duration_seconds",
                            "Time from a request to the end of its answer.");
    prometheus::Gauge& connections_ = register_gauges(registry_, "tandem_http_connections",
                                                      "Open connections, including WebSockets.")
                                          .Add({});
    prometheus::Gauge& voice_sockets_ =
        register_gauges(registry_, "tandem_voice_sockets", "Open WebSockets.").Add({});
    prometheus::Gauge& voice_sessions_ =
        register_gauges(registry_, "tandem_voice_sessions",
                        "Voice sessions, including those without a socket.")
            .Add({});
    histogram_family& voice_turn_ =
        register_histograms(registry_, "tandem_voice_turn_first_chunk_seconds",
                            "Time from the start of a voice turn to its first chunk.");
    histogram_family& voice_to_voice_ =
        register_histograms(registry_, "tandem_voice_to_voice_seconds",
                            "Time from the user's last word to the first chunk.");
    histogram_family& voice_part_ =
        register_histograms(registry_, "tandem_voice_to_voice_part_seconds",
                            "Parts of the time from the user's last word to the first chunk.");
    gauge_family& speech_load_ =
        register_gauges(registry_, "tandem_speech_load",
                        "Share of the token rate of the servers that the voices need.");
    counter_family& sessions_refused_ =
        register_counters(registry_, "tandem_sessions_refused_total",
                          "New sessions that were refused because the servers are overloaded.");
    prometheus::Counter& traces_dropped_ =
        register_counters(registry_, "tandem_traces_dropped_total",
                          "Turns whose trace could not be sent.")
            .Add({});
    server_metrics server_values_{registry_};
};

}  // namespace tandem::gateway
