#pragma once

#include "gateway/http/http_exchange.hpp"
#include "gateway/json/api_error.hpp"
#include "gateway/policy/policy_verdict.hpp"
#include "gateway/sessions/gateway_core.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace tandem::gateway {

/// Asks the outside policy of the gateway, which must be on, about the prompt of a request: what
/// its client is told, or nothing where it may pass. Ends as soon as the client is gone. The
/// question must live until then.
boost::asio::awaitable<std::optional<api_error>> ask_policy(http_exchange& exchange,
                                                            gateway_loop& loop,
                                                            const policy_question& question);

}  // namespace tandem::gateway
