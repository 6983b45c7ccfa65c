#pragma once

#include "base/time.hpp"
#include "gateway/gatekeeper.hpp"
#include "gateway/gateway_options.hpp"
#include "gateway/generation_request.hpp"
#include "gateway/voice_registry.hpp"

#include "tandem/service.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <random>
#include <set>
#include <string>

namespace tandem::gateway {

class connection;

/// What all requests of one gateway share. On the gateway's loop; it outlives its connections.
struct gateway_core : std::enable_shared_from_this<gateway_core> {
    gateway_core(const boost::asio::any_io_executor& loop, gateway_options o)
        : options(std::move(o)),
          executor(loop),
          bots(executor, options.service),
          gate(options.keys),
          policy(options.prompts),
          voices(*this) {}

    request_defaults defaults() const {
        return {.generation = options.service.server.generation,
                .stream_by = options.stream_by,
                .max_body_bytes = options.max_body_bytes};
    }

    const gateway_options options;
    /// Of the loop.
    const boost::asio::any_io_executor executor;
    service bots;
    gatekeeper gate;
    const prompt_policy policy;
    /// Ids must not be guessed: they name sessions, too.
    std::random_device random{};
    std::set<connection*> connections{};
    voice_registry voices;
    /// Unix time, in seconds.
    const std::int64_t started_at = std::time(nullptr);
    bool is_stopping = false;
};

}  // namespace tandem::gateway
