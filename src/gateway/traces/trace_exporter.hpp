#pragma once

#include "gateway/traces/span_context.hpp"
#include "gateway/traces/traced_turn.hpp"
#include "transport/curl_transport.hpp"

#include "tandem/log.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <random>
#include <string_view>

namespace tandem::gateway {

/// Bounds and time limits of the export.
struct export_limits {
    /// Maximum memory of queued turns; further turns are dropped.
    std::size_t queue_bytes = std::size_t{8} << 20;
    /// A request has at most `batch_turns` turns, and ends with the turn that reaches
    /// `batch_bytes`.
    std::size_t batch_turns = 64;
    std::size_t batch_bytes = std::size_t{1} << 20;
    /// How long a turn waits for other turns to share its request.
    duration batch_wait = std::chrono::seconds(1);
    duration request_timeout = std::chrono::seconds(10);
    /// Maximum attempts for a batch, and the wait before the second attempt. The wait doubles each
    /// time.
    int attempts = 5;
    duration first_pause = std::chrono::seconds(1);
    /// The longest wait that a collector can ask for with Retry-After.
    duration max_pause = std::chrono::minutes(1);
    /// How long the destructor may take to send the queued turns.
    duration farewell = std::chrono::seconds(3);
};

/// Sends the spans of turns to a collector, with OTLP over HTTP, on a separate thread. Drops turns
/// that it cannot send.
class trace_exporter {
 public:
    struct callbacks {
        /// Called on any thread with the number of turns that were dropped. Must not block.
        std::function<void(std::size_t)> dropped{};
        /// Must be callable on any thread.
        logger log{};
    };

    /// `where.url` is the collector's base URL.
    trace_exporter(transport::curl_options where, callbacks handlers, export_limits limits = {});
    /// Blocks up to `export_limits::farewell`.
    ~trace_exporter();

    /// A span for a turn that begins. Not thread-safe.
    span_context begin_span(std::string_view traceparent);

    /// Never blocks. Thread-safe.
    void add(traced_turn turn);

 private:
    class worker;

    std::mt19937_64 random_;
    std::unique_ptr<worker> worker_;
};

}  // namespace tandem::gateway
