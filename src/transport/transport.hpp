#pragma once

#include "base/reply_place.hpp"
#include "base/time.hpp"

#include "tandem/error.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

// The seam between tandem and HTTP: everything above it is tested with a fake of it.
namespace tandem::transport {

struct http_request {
    /// Any but HEAD.
    std::string method = "POST";
    /// Path and query below the configured URL, escaped where needed: "/completion".
    std::string path{};
    /// Sent as application/json if not empty.
    std::string body{};
    /// A header of that name; empty = none. Well-formed: it is sent as it is.
    std::string traceparent{};
    /// Until it is connected, where that is shorter than the limit of all requests.
    std::optional<duration> connect_within{};
    /// Of a request for a reply. It is not sent.
    std::optional<reply_place> place{};
};

/// Where the answer to one request goes. No function is called from inside start() or resume(), nor
/// while the exchange is paused, nor after on_end() or the exchange's destruction. Each may destroy
/// any exchange and start new ones; none may throw.
class exchange_handler {
 public:
    /// The status line and headers came; called once, before any data. A status of 400 and more is
    /// no error here: its body comes by on_data().
    virtual void on_status(int http_status) = 0;
    /// Bytes of the body, as many as came at once. The view is valid during the call only.
    virtual void on_data(std::string_view bytes) = 0;
    /// The exchange is over: without an error if the body came whole. Called at most once.
    virtual void on_end(error_code ec, const diagnostics& diag) = 0;

 protected:
    ~exchange_handler() = default;
};

/// One running request. Destroying it is the cut: the connection is closed before the destructor
/// returns.
class exchange {
 public:
    virtual ~exchange() = default;
    /// Stops and starts the flow of data, for back-pressure: a paused exchange stops reading its
    /// socket, and so does not see the server close it. At most 256 KiB that were read before are
    /// kept. It is no work for the event loop, which may run out of work meanwhile.
    virtual void pause() = 0;
    virtual void resume() = 0;
    /// How long the connection took from start() until it was up, looking up the name and TLS
    /// included. Known once the answer's status came.
    virtual std::optional<duration> connected_after() const noexcept { return std::nullopt; }
};

/// Sends requests, each over a connection of its own. Not thread-safe: everything happens on one
/// executor.
class http_transport {
 public:
    virtual ~http_transport() = default;
    /// `handler` must outlive the exchange. A fault that is known at once is reported by on_end()
    /// too, from the event loop. Running exchanges must be destroyed before the transport.
    virtual std::unique_ptr<exchange> start(http_request request, exchange_handler& handler) = 0;
};

}  // namespace tandem::transport
