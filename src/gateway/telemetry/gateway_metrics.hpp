#pragma once

#include "gateway/telemetry/process_figures.hpp"
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

/// A server as it was configured, and a model that it speaks for.
struct measured_server {
    std::string url{};
    std::string model{};
};

/// What there is at one moment.
struct gateway_load {
    /// HTTP connections, of which some became WebSockets.
    std::size_t connections = 0;
    std::size_t voice_sockets = 0;
    /// Those without a socket included.
    std::size_t voice_sessions = 0;
};

/// Counts what the gateway does, and reports it in Prometheus' text format; docs/metrics.md lists
/// what there is. Labels are bounded whatever clients send: servers and models are those that it
/// was made with, and routes those of the table; anything else is "other", and what does not apply
/// "none". Its functions may be called from any thread.
class gateway_metrics {
 public:
    /// `started_at` is Unix time, in seconds.
    gateway_metrics(const std::vector<measured_server>& served, std::int64_t started_at);
    ~gateway_metrics();
    gateway_metrics(const gateway_metrics&) = delete;
    gateway_metrics& operator=(const gateway_metrics&) = delete;

    /// An answer has ended, or a WebSocket. `route` is route::path, empty if there is none;
    /// `status` is 0 where the client was gone before.
    void request_ended(std::string_view route, int status, duration took);
    /// A reader who gets chunks, one after the other, has got one.
    void chunk_came(std::string_view model, const chunk& c);
    /// `by_chunk`: its reader got chunks as they came, not tokens or the whole.
    void reply_ended(std::string_view model, const reply_result& result, bool by_chunk);
    /// The first chunk of a voice turn was sent so long after the turn was asked for; and the whole
    /// silence, where it is known.
    void voice_answered(std::string_view model, duration since_asked,
                        const std::optional<voice_timing>& timing);

    // text() reports the state of that moment.
    void set_load(const gateway_load& load);
    void set_servers(const std::vector<server_status>& servers);

    std::string text(const process_figures& process = {}) const;

 private:
    class registry;
    std::unique_ptr<registry> all_;
};

}  // namespace tandem::gateway
