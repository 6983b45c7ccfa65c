#pragma once

#include "base/recorded_request_key.hpp"
#include "base/time.hpp"

#include "tandem/error.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

// The interface between tandem and HTTP; tests of the layers above use a fake of it.
namespace tandem::transport {

struct http_request {
    /// Any method except HEAD.
    std::string method = "POST";
    /// Path and query below the configured URL, escaped as needed: "/completion".
    std::string path{};
    /// Sent as application/json if not empty.
    std::string body{};
    /// Value of the traceparent header; empty = none. Must be well-formed, because it is sent
    /// unchanged.
    std::string traceparent{};
    /// Connect limit, if shorter than the general one.
    std::optional<duration> connect_within{};
    /// The reply that the request belongs to. It is not sent.
    std::optional<recorded_request_key> reply_key{};
};

/// Receives the answer to one request. No function is called from inside start() or resume(), while
/// the exchange is paused, or after on_end() or the exchange's destruction. Each function may
/// destroy any exchange and start new ones, but must not throw.
class exchange_handler {
 public:
    /// The status line and headers arrived. Called once, before any data. A status of 400 or more
    /// is not an error here: its body follows through on_data().
    virtual void on_status(int http_status) = 0;
    /// Bytes of the body as they arrived. The view is valid only during the call.
    virtual void on_data(std::string_view bytes) = 0;
    /// The exchange is over, without an error if the body is complete. Called at most once.
    virtual void on_end(error_code ec, const diagnostics& diag) = 0;

 protected:
    ~exchange_handler() = default;
};

/// A running request. Its destructor cuts the request: it closes the connection before it returns.
class exchange {
 public:
    virtual ~exchange() = default;
    /// Stops and resumes the flow of data, for backpressure. A paused exchange does not read its
    /// socket, so it does not notice if the server closes the connection. It keeps at most 256 KiB
    /// that were read before the pause. It does not count as work for the event loop, so the loop
    /// may run out of work.
    virtual void pause() = 0;
    virtual void resume() = 0;
    /// Time from start() until the connection was up, including name lookup and TLS. Known once the
    /// answer's status has arrived.
    virtual std::optional<duration> connect_duration() const noexcept { return std::nullopt; }
    /// How long the server asks to wait, in a Retry-After header. Known once the answer's status
    /// has arrived.
    virtual std::optional<duration> retry_after() const noexcept { return std::nullopt; }
};

/// Sends requests, each over its own connection. Not thread-safe: all calls must be made on one
/// executor.
class http_transport {
 public:
    virtual ~http_transport() = default;
    /// `handler` must outlive the exchange. Even faults that are known immediately are reported by
    /// on_end(), from the event loop. Running exchanges must be destroyed before the transport.
    virtual std::unique_ptr<exchange> start(http_request request, exchange_handler& handler) = 0;
};

}  // namespace tandem::transport
