#pragma once

#include "base/time.hpp"
#include "gateway/adapter_desk.hpp"
#include "gateway/gatekeeper.hpp"
#include "gateway/gateway_metrics.hpp"
#include "gateway/gateway_options.hpp"
#include "gateway/generation_request.hpp"
#include "gateway/policy_desk.hpp"
#include "gateway/reply_order.hpp"
#include "gateway/served_models.hpp"
#include "gateway/shared_answers.hpp"
#include "gateway/tls_context.hpp"
#include "gateway/voice_registry.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>

namespace tandem::gateway {

class connection;
class whole_reply;

/// What all requests of one gateway share. On the gateway's loop; it outlives its connections.
struct gateway_core : std::enable_shared_from_this<gateway_core> {
    gateway_core(const boost::asio::any_io_executor& loop, gateway_options o)
        : options(std::move(o)),
          executor(loop),
          desk(std::make_shared<adapter_desk>(executor, options)),
          models(executor, options, desk->adapters()),
          gate(options.keys),
          policy(options.prompts),
          answers(options.answer_cache),
          metrics(measured_servers(options), started_at),
          outside_policy(executor, options, metrics),
          voices(*this) {
        desk->start();
    }

    request_defaults defaults() const {
        return {.generation = options.service.server.generation,
                .stream_by = options.stream_by,
                .max_body_bytes = options.max_body_bytes};
    }

    const gateway_options options;
    /// Of the loop.
    const boost::asio::any_io_executor executor;
    const std::shared_ptr<adapter_desk> desk;
    served_models models;
    gatekeeper gate;
    const prompt_policy policy;
    /// Of connections that are opened from now on; null where there is no TLS.
    std::shared_ptr<boost::asio::ssl::context> tls{};
    /// Ids must not be guessed: they name sessions, too.
    std::random_device random{};
    std::set<connection*> connections{};
    /// Their conversations must go before the service.
    conversation_places places{kept_places};
    shared_answers answers;
    /// Those that run, for who asks the same.
    std::map<question_id, std::weak_ptr<whole_reply>> whole_replies{};
    /// Unix time, in seconds.
    const std::int64_t started_at = std::time(nullptr);
    gateway_metrics metrics;
    /// Asked about prompts that `policy` lets pass.
    policy_desk outside_policy;
    voice_registry voices;
    bool is_stopping = false;
};

}  // namespace tandem::gateway
