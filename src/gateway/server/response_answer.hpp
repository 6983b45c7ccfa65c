#pragma once

#include "gateway/access/authorizer.hpp"
#include "gateway/http/answer_client.hpp"
#include "gateway/requests/response_request.hpp"
#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/kept_responses.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>

namespace tandem::gateway {

/// The newest response of a WebSocket. While the socket is open, its requests can continue this
/// response even if it is not stored.
struct socket_response {
    /// The response that is being generated; empty if there is none.
    std::string running_id{};
    /// Empty before the first response.
    std::string id{};
    kept_response kept{};
    std::size_t bytes = 0;
    bool is_stored = false;
};

/// Keeps a stored response for a client that reconnects.
void keep_for_reconnect(gateway_core& core, const admitted_request& who,
                        const socket_response& newest);

/// Answers a request to /v1/responses on a WebSocket: each event is a line of JSON. Replaces
/// `newest` if the response is complete.
boost::asio::awaitable<void> answer_on_socket(answer_client& client, gateway_core& core,
                                              response_request request, admitted_request& who,
                                              socket_response& newest);

}  // namespace tandem::gateway
