#pragma once

#include "gateway/adapters/adapter_set.hpp"

#include "tandem/config.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tandem::gateway {

/// What holds for requests that say nothing of it, and what they may have.
struct request_defaults {
    /// Its values stand in for OpenAI's, as temperature 1.
    generation_options generation{};
    tandem::stream_by stream_by = tandem::stream_by::token;
    /// A larger body is refused with status 413.
    std::size_t max_body_bytes = std::size_t{16} << 20;
    /// More messages are refused.
    std::size_t max_messages = 10'000;
};

/// What requests to /v1/chat/completions and /v1/completions have in common.
struct generation_request {
    /// Empty if the request names none.
    std::string model{};
    /// Checked: tandem::check() finds no fault.
    generation_options options{};
    /// The adapters that it wants; the others do not count then.
    std::optional<std::vector<asked_adapter>> lora{};
    bool stream = false;
    /// Whether the stream reports the usage at its end (`stream_options.include_usage`).
    bool include_usage = false;
    tandem::stream_by stream_by = tandem::stream_by::token;
    /// Which conversation this is, so that it stays at the server and the slot that hold it:
    /// `session_id`, else `prompt_cache_key`, else `user`; 512 bytes at most. Empty if the request
    /// has none of them.
    std::string pin{};
};

}  // namespace tandem::gateway
