#pragma once

#include "tandem/config.hpp"
#include "tandem/duration.hpp"

#include <chrono>
#include <cstddef>
#include <vector>

namespace tandem::gateway {

/// What a voice client may take. The defaults are far above what a bot needs, and far below what
/// would harm others: a bot says a `continue`, and perhaps a `heard`, for each sentence that it
/// speaks. `ready` has those that a client can exceed.
struct voice_limits {
    /// One message. A history of 256 KiB has some 60,000 tokens. 1 KiB to 16 MiB.
    std::size_t message_bytes = std::size_t{256} << 10;
    /// Messages of a socket: so many at once, and then so many a second. 1 and 0.001 to a
    /// million.
    double message_burst = 100;
    double messages_per_second = 25;
    /// A socket from which nothing was heard for so long is taken for dead; it is pinged after half
    /// of that. A listener whose network is gone should not be waited for much longer. 100 ms to
    /// 1 h.
    duration silence = std::chrono::seconds(30);
    /// Turns that wait while the one before ends, or is being checked. 1 to 1000.
    std::size_t waiting_turns = 8;
    /// A session whose socket is gone is kept for so long. 1 s to 59 min: resume_grace, which must
    /// be longer, has a bound of 1 h.
    duration session_kept = std::chrono::seconds(60);
    /// Sessions of one key, and in all. 1 to a million each.
    std::size_t sessions_per_key = 1'000;
    std::size_t sessions = 10'000;
};

/// All faults, as of the field `voice` of the gateway's options; empty if they can be used.
std::vector<config_fault> check(const voice_limits& l);

}  // namespace tandem::gateway
