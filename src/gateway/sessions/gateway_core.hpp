#pragma once

#include "base/time.hpp"
#include "gateway/access/gatekeeper.hpp"
#include "gateway/answers/shared_answers.hpp"
#include "gateway/http/tls_context.hpp"
#include "gateway/requests/generation_request.hpp"
#include "gateway/sessions/adapter_desk.hpp"
#include "gateway/sessions/gateway_loop.hpp"
#include "gateway/sessions/gateway_options.hpp"
#include "gateway/sessions/reply_order.hpp"
#include "gateway/sessions/served_models.hpp"
#include "gateway/telemetry/gateway_metrics.hpp"
#include "gateway/voice/voice_directory.hpp"
#include "loop/guarded.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace tandem::gateway {

class whole_reply;

/// The questions that are asked, with the replies that others who ask the same can join.
struct asked_questions {
    shared_answers answers;
    std::map<question_id, std::weak_ptr<whole_reply>> replies{};
};

/// What all requests of one gateway share; it outlives its connections. Several loops use it at a
/// time: what changes is guarded, atomic, or thread-safe by itself.
struct gateway_core : std::enable_shared_from_this<gateway_core> {
    /// At least one executor, of one thread each.
    gateway_core(const std::vector<boost::asio::any_io_executor>& executors, gateway_options o);

    request_defaults defaults() const {
        return {.generation = options.service.server.generation,
                .stream_by = options.stream_by,
                .max_body_bytes = options.max_body_bytes};
    }
    bool shares_answers() const noexcept { return options.answer_cache.entries > 0; }
    gateway_loop& first_loop() noexcept { return loops.front(); }
    /// A release may be told late.
    std::size_t connections() const noexcept {
        return static_cast<std::size_t>(connection_seats.use_count() - 1);
    }

    const gateway_options options;
    /// On the first loop, but for what it says of adapters.
    const std::shared_ptr<adapter_desk> desk;
    served_models models;
    detail::guarded<gatekeeper> gate;
    const prompt_policy policy;
    /// Of connections that are opened from now on; null where there is no TLS.
    detail::guarded<std::shared_ptr<boost::asio::ssl::context>> tls{};
    /// Each connection is an owner, from the moment when it is accepted.
    const std::shared_ptr<const char> connection_seats = std::make_shared<const char>();
    /// Their conversations must go before the service.
    detail::guarded<conversation_places> places{kept_places};
    detail::guarded<asked_questions> questions;
    /// Unix time, in seconds.
    const std::int64_t started_at = std::time(nullptr);
    gateway_metrics metrics;
    detail::guarded<voice_directory> voice_sessions;
    std::atomic<std::size_t> voice_sockets{0};
    std::atomic<bool> is_stopping{false};
    /// The first one accepts connections, and looks after the others' end.
    std::deque<gateway_loop> loops{};
};

}  // namespace tandem::gateway
