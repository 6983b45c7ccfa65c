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

/// A service on a port: OpenAI's API over HTTP, and the voice WebSocket.
///
/// It works on one event loop, which one thread runs.
///
/// Thread-safety: its functions are for that thread; the destructor also for one that comes when
/// the loop does not run any more.
///
/// Lifetime: the loop must outlive it. Destroying it closes all connections.
class gateway_server {
 public:
    /// Listens at once. Throws config_error, which names every fault; store_error where the state
    /// file cannot be used; and boost::system::system_error where it cannot listen at the address.
    gateway_server(boost::asio::io_context& loop, gateway_options options);
    ~gateway_server();
    gateway_server(const gateway_server&) = delete;
    gateway_server& operator=(const gateway_server&) = delete;

    std::uint16_t port() const;

    /// From the next request on; replies that run are finished. A gateway that had keys is not open
    /// without them: nobody gets in.
    void replace_keys(api_keys keys);

    /// For connections that are opened from now on; where there are faults all stays as it was. A
    /// gateway that began without TLS stays so.
    std::vector<config_fault> replace_tls(const tls_credentials& credentials);

    /// No connection and no reply is begun any more; those that run end, or are ended after
    /// `limit`. Then `stopped` is called, once, on the loop; WebSockets that do not let
    /// themselves be closed may keep it waiting for 10 s more.
    void stop(duration limit, std::function<void()> stopped);

 private:
    std::shared_ptr<gateway_listener> listener_;
};

}  // namespace tandem::gateway
