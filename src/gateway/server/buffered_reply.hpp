#pragma once

#include "gateway/answers/finished_answer.hpp"
#include "gateway/http/http_exchange.hpp"
#include "gateway/sessions/gateway_core.hpp"
#include "gateway/sessions/generation_job.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>

namespace tandem::gateway {

/// Generates a whole answer, and accounts for it. If the client disconnects, cancels the reply. If
/// there is no answer, sends the error and returns nullopt.
boost::asio::awaitable<std::optional<finished_answer>> generate_answer(http_exchange& exchange,
                                                                       gateway_core& core,
                                                                       generation_job order,
                                                                       admitted& who);

}  // namespace tandem::gateway
