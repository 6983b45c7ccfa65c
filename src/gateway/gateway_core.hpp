#pragma once

#include "base/time.hpp"
#include "gateway/gatekeeper.hpp"
#include "gateway/gateway_options.hpp"
#include "gateway/generation_request.hpp"

#include "tandem/service.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <random>
#include <set>
#include <string>

namespace tandem::gateway {

class connection;

/// What all requests of one gateway share. On the gateway's loop; it outlives its connections.
struct gateway_core {
    gateway_core(const boost::asio::any_io_executor& executor, gateway_options o)
        : options(std::move(o)),
          bots(executor, options.service),
          gate(options.keys),
          policy(options.prompts) {}

    request_defaults defaults() const {
        return {.generation = options.service.server.generation,
                .stream_by = options.stream_by,
                .max_body_bytes = options.max_body_bytes};
    }

    const gateway_options options;
    service bots;
    gatekeeper gate;
    const prompt_policy policy;
    /// Ids must not be guessed: they name sessions, too.
    std::random_device random{};
    std::set<connection*> connections{};
    /// Unix time, in seconds.
    const std::int64_t started_at = std::time(nullptr);
    bool is_stopping = false;
};

}  // namespace tandem::gateway
