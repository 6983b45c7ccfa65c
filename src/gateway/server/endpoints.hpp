#pragma once

#include "gateway/access/gatekeeper.hpp"
#include "gateway/http/http_exchange.hpp"
#include "gateway/sessions/gateway_core.hpp"

#include <boost/asio/awaitable.hpp>

#include <string_view>

// What the gateway's routes answer. On the connection's loop, in its coroutine, which keeps the
// exchange and the gateway. What may have a reply made takes an `admitted`, which only the check
// gives.
namespace tandem::gateway {

/// The gateway works, whatever its servers do.
boost::asio::awaitable<void> answer_health(http_exchange& exchange);
/// 200 where a server may take a request now, else 503; with the state of each.
boost::asio::awaitable<void> answer_ready(http_exchange& exchange, gateway_core& core);

/// The page that talks to the gateway, and its files. Besides them `gateway.json`, which tells the
/// page whether it needs a key.
boost::asio::awaitable<void> answer_page(http_exchange& exchange);
boost::asio::awaitable<void> answer_asset(http_exchange& exchange, gateway_core& core,
                                          std::string_view name);

/// What is counted, in Prometheus' text format.
boost::asio::awaitable<void> answer_metrics(http_exchange& exchange, gateway_core& core);

boost::asio::awaitable<void> answer_models(http_exchange& exchange, gateway_core& core,
                                           const admitted& who);
boost::asio::awaitable<void> answer_model(http_exchange& exchange, gateway_core& core,
                                          const admitted& who, std::string_view id);

// For operators: the adapters that are allowed with how much each counts; a job that has one set
// (202); and what became of a job.
boost::asio::awaitable<void> answer_adapters(http_exchange& exchange, const gateway_core& core);
boost::asio::awaitable<void> answer_load_adapter(http_exchange& exchange, gateway_core& core,
                                                 std::string_view name);
boost::asio::awaitable<void> answer_job(http_exchange& exchange, const gateway_core& core,
                                        std::string_view id);

// Replies, whole or as a stream. A client that goes ends its reply at once.
boost::asio::awaitable<void> answer_chat(http_exchange& exchange, gateway_core& core, admitted who);
boost::asio::awaitable<void> answer_completion(http_exchange& exchange, gateway_core& core,
                                               admitted who);

}  // namespace tandem::gateway
