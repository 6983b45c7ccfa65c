#pragma once

#include "gateway/sessions/gateway_options.hpp"

#include "tandem/duration.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace tandem::gateway {

class gateway_listener;

/// The gateway: serves OpenAI's API over HTTP, and the voice WebSocket, on one port.
///
/// Uses one event loop, run by one thread.
///
/// Thread-safety: call all functions on that thread; the destructor may run on another thread once
/// the loop has stopped.
///
/// Lifetime: the loop must outlive the server. The destructor closes all connections.
class gateway_server {
 public:
    /// Starts to listen. Throws config_error, which names every fault; adapter_store_error if the
    /// state file is unusable; boost::system::system_error if listening fails.
    gateway_server(boost::asio::io_context& loop, gateway_options options);
    ~gateway_server();
    gateway_server(const gateway_server&) = delete;
    gateway_server& operator=(const gateway_server&) = delete;

    std::uint16_t port() const;

    /// Applies to subsequent requests; running replies continue. Removing the last key does not
    /// open the gateway: all requests are rejected.
    void replace_keys(api_keys keys);

    /// Applies to new connections; on a fault, nothing changes. Ignored by a gateway that started
    /// without TLS.
    std::vector<config_fault> replace_tls(const tls_credentials& credentials);

    /// Replaces the servers of the model, like service::reload(). If the list has faults, returns
    /// the faults and changes nothing.
    std::vector<config_fault> replace_servers(const model_servers& servers);

    /// Refuses new replies and sessions; the port stays open for probes, which see that the gateway
    /// is not ready. Running requests may finish; after `limit`, the remaining ones are cancelled.
    /// Then closes the port and calls `stopped` once, on the loop, possibly up to 10 s later if
    /// WebSockets do not close.
    void stop(duration limit, std::function<void()> stopped);

 private:
    std::shared_ptr<gateway_listener> listener_;
};

}  // namespace tandem::gateway
