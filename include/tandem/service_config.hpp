#pragma once

#include "tandem/config.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/duration.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {
inline namespace v0 {

/// Which server a conversation is pinned to.
enum class placement {
    round_robin,  ///< the next server in the list
    least_busy,   ///< the server with the fewest running replies, or else conversations, per slot
};

/// The name of the value, as in logs, files and flags.
std::string_view to_string(placement p) noexcept;

/// Configuration of a service.
struct service_config {
    /// URLs, each once; empty = only the URL of `client`.
    std::vector<std::string> servers{};
    /// Everything else about the servers: key, limits, pacing, chunks, generation. `slots` is per
    /// server.
    config client{};
    /// Which server a conversation is pinned to.
    tandem::placement placement = tandem::placement::least_busy;
    /// Interval at which /health is polled while replies run, or always with `watch_always`. 100 ms
    /// to 1 h. A server that is down is polled at intervals that grow from 100 ms to this interval,
    /// and every 400 ms while a turn waits for a server.
    duration health_interval = std::chrono::seconds(2);
    /// Also polls /health while no reply runs, so that the state is always fresh. The event loop
    /// then has work until the service is destroyed.
    bool watch_always = false;
    /// Options of conversations that are created without options.
    conversation_options conversation{};
};

/// All errors of `c`; empty if it is valid. Throws only std::bad_alloc.
std::vector<config_fault> check(const service_config& c);

/// State of a server of a service.
struct server_status {
    /// The last result of `/health`.
    enum class health {
        unknown,  ///< not polled yet
        up,
        loading,  ///< loading its model
        down,
    };
    /// The configured URL.
    std::string url{};
    /// Turns start on servers that are `up` or `unknown`. If there is no such server, turns start
    /// on a server that is `down` only because it does not answer in time.
    health state = health::unknown;
    /// Whether the server was removed or drained, and only finishes its running replies.
    bool draining = false;
    /// Whether the last requests to the server failed; it gets no requests until `breaker_pause` is
    /// over.
    bool circuit_open = false;
    /// Slots in use by the service; 0 while unknown.
    int slots = 0;
    /// Numbers of conversations: pinned to the server, with a running reply, and waiting for a
    /// slot.
    int conversations = 0;
    int generating = 0;
    int waiting = 0;
    /// Highest rate of all the server's slots together, in tokens/s; nullopt until it has been
    /// measured.
    std::optional<double> tokens_per_s{};
    /// How long the first waiting request has been overdue; 0 if none is overdue.
    duration late{};
    /// The share of their lead that recent continuations lost while they waited for a slot, 0 to 1.
    /// The lead is the speech that a listener had left to hear. Near 1, one more listener would
    /// make gaps audible.
    double lead_loss = 0;
    /// How often a slot changed to another conversation, and the prompt tokens that were evaluated
    /// at these changes.
    std::int64_t residence_changes = 0;
    std::int64_t residence_change_tokens = 0;
    /// Why the server is down, in words.
    std::string fault{};
};

/// The name of the value, as in logs, files and flags.
std::string_view to_string(server_status::health h) noexcept;

}  // namespace v0
}  // namespace tandem
