#pragma once

#include "gateway/json/api_error.hpp"
#include "gateway/telemetry/audit_line.hpp"
#include "gateway/traces/traced_turn.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

// Boost 1.74's awaitable.hpp uses <utility> without including it.
#include <boost/asio/awaitable.hpp>

namespace tandem::gateway {

/// The client of one answer, over HTTP or a WebSocket. If the client has disconnected, writes do
/// nothing.
class answer_client {
 public:
    template <class Result>
    using awaitable = boost::asio::awaitable<Result>;

    virtual ~answer_client() = default;

    /// The W3C traceparent header; empty if it is missing, repeated or malformed.
    virtual std::string_view traceparent() const = 0;
    /// The traceparent header for requests to servers.
    std::string onward_traceparent() const {
        return trace ? to_traceparent(trace->context) : std::string(traceparent());
    }

    virtual awaitable<void> send(const api_error& error) = 0;
    // Streams events: call begin_stream() once, write() any number of times, then end_stream().
    // Without end_stream(), the client sees a truncated response.
    virtual awaitable<void> begin_stream() = 0;
    virtual awaitable<void> write(std::string_view bytes) = 0;
    virtual awaitable<void> end_stream() = 0;

    /// Calls `handler` once, as soon as the client disconnects or cancels the answer; nullptr
    /// removes the handler.
    virtual void on_disconnect(std::function<void()> handler) = 0;

    /// Audit record; the connection fills in the remaining fields.
    audit_record record{};
    /// Trace of the answer, if it is recorded.
    std::optional<traced_turn> trace{};
};

}  // namespace tandem::gateway
