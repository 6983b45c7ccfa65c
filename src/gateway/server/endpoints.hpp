#pragma once

#include "gateway/access/authorizer.hpp"
#include "gateway/http/http_exchange.hpp"
#include "gateway/sessions/gateway_core.hpp"

#include <boost/asio/awaitable.hpp>

#include <string_view>

// Handlers of the gateway's routes. They run on the connection's loop, in its coroutine, which owns
// the exchange and the gateway. Handlers that start a reply take an `admitted_request`, which only
// the authorizer creates.
namespace tandem::gateway {

/// Allows pages of an allowed origin to send any headers, because clients add headers of their own.
boost::asio::awaitable<void> answer_preflight(http_exchange& exchange);

/// Shows that the process and its loop are alive, without asking a server.
boost::asio::awaitable<void> answer_live(http_exchange& exchange);
/// Sends the state of each server, with status 200 if a server can take requests and the gateway is
/// not stopping, and with 503 otherwise.
boost::asio::awaitable<void> answer_ready(http_exchange& exchange, gateway_core& core);

/// The built-in page and its files. `gateway.json` reports to the page whether a key is required.
boost::asio::awaitable<void> answer_page(http_exchange& exchange);
boost::asio::awaitable<void> answer_asset(http_exchange& exchange, gateway_core& core,
                                          std::string_view name);

/// Metrics in Prometheus' text format.
boost::asio::awaitable<void> answer_metrics(http_exchange& exchange, gateway_core& core);

boost::asio::awaitable<void> answer_models(http_exchange& exchange, gateway_core& core,
                                           const admitted_request& who);
boost::asio::awaitable<void> answer_model(http_exchange& exchange, gateway_core& core,
                                          const admitted_request& who, std::string_view id);

// For operators: these handlers list the allowed adapters and their scales, start a job that sets a
// scale (202), and show the state of a job.
boost::asio::awaitable<void> answer_adapters(http_exchange& exchange, const gateway_core& core);
boost::asio::awaitable<void> answer_load_adapter(http_exchange& exchange, gateway_core& core,
                                                 std::string_view name);
boost::asio::awaitable<void> answer_job(http_exchange& exchange, const gateway_core& core,
                                        std::string_view id);

// For operators: these handlers list the servers, and stop or resume new turns on one server.
boost::asio::awaitable<void> answer_servers(http_exchange& exchange, gateway_core& core);
boost::asio::awaitable<void> answer_drain(http_exchange& exchange, gateway_core& core,
                                          std::string_view id, bool is_drained);

// These handlers send a reply, as one body or as a stream. If the client disconnects, the reply is
// cancelled.
boost::asio::awaitable<void> answer_chat(http_exchange& exchange, gateway_core& core,
                                         admitted_request who);
boost::asio::awaitable<void> answer_response(http_exchange& exchange, gateway_core& core,
                                             admitted_request who);
boost::asio::awaitable<void> answer_completion(http_exchange& exchange, gateway_core& core,
                                               admitted_request who);

}  // namespace tandem::gateway
