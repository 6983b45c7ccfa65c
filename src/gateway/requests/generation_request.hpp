#pragma once

#include "gateway/adapters/adapter_set.hpp"

#include "tandem/config.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tandem::gateway {

/// Default values and limits of requests.
struct request_defaults {
    /// The options that a request does not set, instead of OpenAI's defaults such as temperature 1.
    generation_options generation{};
    tandem::stream_by stream_by = tandem::stream_by::token;
    /// Larger bodies are rejected with status 413.
    std::size_t max_body_bytes = std::size_t{16} << 20;
    /// Requests with more messages are rejected.
    std::size_t max_messages = 10'000;
};

/// Common fields of requests to /v1/chat/completions and /v1/completions.
struct generation_request {
    /// Empty if the request has none.
    std::string model{};
    /// Valid options: tandem::check() returns no faults.
    generation_options options{};
    /// The selected adapters, which replace the deployed adapters.
    std::optional<std::vector<requested_adapter>> lora{};
    bool stream = false;
    /// Whether the stream reports the usage at its end (`stream_options.include_usage`).
    bool include_usage = false;
    tandem::stream_by stream_by = tandem::stream_by::token;
    /// Identifies the conversation, so that its next request reaches the server and slot that have
    /// the conversation cached: `session_id`, `prompt_cache_key` or `user`, in this order; at most
    /// 512 bytes. Empty if the request has none of them.
    std::string affinity_key{};
};

}  // namespace tandem::gateway
