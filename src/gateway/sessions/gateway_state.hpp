#pragma once

#include "base/time.hpp"
#include "gateway/access/gatekeeper.hpp"
#include "gateway/answers/answer_cache.hpp"
#include "gateway/http/tls_context.hpp"
#include "gateway/policy/prompt_policy.hpp"
#include "gateway/requests/generation_request.hpp"
#include "gateway/sessions/adapter_desk.hpp"
#include "gateway/sessions/gateway_options.hpp"
#include "gateway/sessions/reply_order.hpp"
#include "gateway/sessions/served_models.hpp"
#include "gateway/telemetry/gateway_metrics.hpp"
#include "gateway/voice/voice_sessions.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <random>

namespace tandem::gateway {

/// What all requests and voice sessions of a gateway share; it outlives them. On its loop.
struct gateway_state : std::enable_shared_from_this<gateway_state> {
    gateway_state(const boost::asio::any_io_executor& its_executor, gateway_options o);

    request_defaults defaults() const {
        return {.generation = options.service.server.generation,
                .stream_by = options.stream_by,
                .max_body_bytes = options.max_body_bytes};
    }
    bool keeps_answers() const noexcept { return options.answer_cache.entries > 0; }

    const boost::asio::any_io_executor executor;
    const gateway_options options;
    const std::shared_ptr<adapter_desk> desk;
    served_models models;
    gatekeeper gate;
    const prompt_policy policy;
    /// Of connections that are opened from now on; null where there is no TLS.
    std::shared_ptr<boost::asio::ssl::context> tls{};
    /// Their conversations must go before the service.
    conversation_places places{kept_places};
    answer_cache answers;
    /// Unix time, in seconds.
    const std::int64_t started_at = std::time(nullptr);
    gateway_metrics metrics;
    /// Ids must not be guessed: they name sessions, too.
    std::random_device random{};
    voice_sessions known_sessions;
    std::size_t voice_sockets = 0;
    bool is_stopping = false;
};

}  // namespace tandem::gateway
