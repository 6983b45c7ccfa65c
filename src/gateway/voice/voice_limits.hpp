#pragma once

#include "tandem/config.hpp"
#include "tandem/duration.hpp"

#include <chrono>
#include <cstddef>
#include <vector>

namespace tandem::gateway {

/// Limits for a voice client. The defaults are far above the needs of a bot, which sends a
/// `continue` and perhaps a `heard` per sentence, and far below what would harm other clients.
/// `ready` contains the limits that a client can exceed.
struct voice_limits {
    /// Maximum size of a message, 1 KiB to 16 MiB. A history of 256 KiB has about 60,000 tokens.
    std::size_t message_bytes = std::size_t{256} << 10;
    /// Rate limit for the messages of a socket: burst size (at least 1) and messages per second (at
    /// least 0.001); at most a million each.
    double message_burst = 100;
    double messages_per_second = 25;
    /// Timeout for a silent socket, 100 ms to 1 h. The gateway pings the socket after half of this
    /// time. With a much longer timeout, a bot would wait for a listener whose network has failed.
    duration silence = std::chrono::seconds(30);
    /// Maximum number of turns that wait for the previous reply or for permission. 1 to 1000.
    std::size_t waiting_turns = 8;
    /// How long a session without a socket is kept. 1 s to 59 min, because resume_grace must be
    /// longer and is limited to 1 h.
    duration session_kept = std::chrono::seconds(60);
    /// How long the calls of a reply wait for their results. 1 s to 1 h.
    duration call_timeout = std::chrono::seconds(60);
    /// Maximum number of sessions per key, and in total. 1 to a million each.
    std::size_t sessions_per_key = 1'000;
    std::size_t sessions = 10'000;
};

/// All faults, with paths such as `voice.silence`; empty if the limits are valid.
std::vector<config_fault> check(const voice_limits& l);

}  // namespace tandem::gateway
