#pragma once

#include "gateway/sessions/gateway_core.hpp"

#include "tandem/conversation.hpp"
#include "tandem/reply.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <string>

// Lets the gateways of a cluster continue each other's HTTP conversations. Without a cluster, a
// gateway knows only its own conversations.
namespace tandem::gateway {

/// Finds out which server handled the conversation's last request if another gateway received it.
/// If the store does not answer within 50 ms, the conversation may continue on a server that has
/// not cached it.
boost::asio::awaitable<void> async_fetch_last_server(gateway_core& core, const std::string& pin);
/// Remembers the server that the conversation used. `bytes` is the result of estimate_job_bytes().
void remember_last_server(gateway_core& core, const std::string& pin, conversation talk,
                          std::size_t bytes, const reply_result& result);

enum class response_search { found, not_found, no_answer };
/// Fetches the response with this key (see kept_response_table) if another gateway has it.
boost::asio::awaitable<response_search> async_fetch_response(gateway_core& core,
                                                             const std::string& key);
/// Keeps a response for the requests that continue it.
void keep_response(gateway_core& core, const std::string& key, kept_response response,
                   std::size_t bytes);

}  // namespace tandem::gateway
