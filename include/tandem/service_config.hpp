#pragma once

#include "tandem/config.hpp"
#include "tandem/conversation_options.hpp"
#include "tandem/duration.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// Which server a conversation is pinned to.
enum class placement {
    round_robin,  ///< the next in the list
    least_busy,   ///< the one with the fewest replies under way for each slot, then conversations
};

/// Its name, as in logs, files and flags.
std::string_view to_string(placement p) noexcept;

/// How many conversations share servers.
struct service_config {
    /// Their URLs, each once; empty = that of `server`.
    std::vector<std::string> servers{};
    /// All else that is to be known of them, the same for each: key, limits, pacing, chunks,
    /// generation. `slots` is for each server.
    config server{};
    /// Which server a conversation is pinned to.
    tandem::placement placement = tandem::placement::least_busy;
    /// Slots that a conversation has for itself while it generates. 0 to 1024; 0 = two where slots
    /// have a reuse guard, else one, which keeps its cache best.
    int slots_per_conversation = 0;
    /// Where all slots are leased, a turn may take one that rests while its owner's voice speaks.
    /// That shortens waits on servers with too few slots, and costs the owner its cache.
    bool share_idle_slots = false;
    /// Servers are asked for /health so often, as long as replies run (or always, see
    /// watch_always). One that is down is asked sooner: at pauses that grow from 100 ms to this,
    /// and every 400 ms while a turn waits for a server. 100 ms to 1 h.
    duration health_interval = std::chrono::seconds(2);
    /// Servers are asked also while no reply runs, so that what is known of them is fresh. The
    /// event loop then has work until the service is destroyed.
    bool watch_always = false;
    /// For conversations that bring no options of their own.
    conversation_options conversation{};
};

/// All faults of `c`; empty if it can be used. Never throws but for lack of memory.
std::vector<config_fault> check(const service_config& c);

/// What a service knows of one of its servers.
struct server_status {
    /// As `/health` told last.
    enum class health {
        unknown,  ///< not asked yet
        up,
        loading,  ///< its model
        down,
    };
    /// As it was configured.
    std::string url{};
    /// Turns begin at servers that are `up`.
    health state = health::unknown;
    /// It was removed, and finishes its replies.
    bool draining = false;
    /// Its last requests failed, and it gets none until `breaker_pause` is over.
    bool circuit_open = false;
    /// Slots that are used; 0 if that is not known yet.
    int slots = 0;
    /// Pinned to it, of these those with a reply under way, and those that wait for a slot.
    int conversations = 0;
    int generating = 0;
    int waiting = 0;
    /// Why it is down, in words.
    std::string fault{};
};

/// Its name, as in logs, files and flags.
std::string_view to_string(server_status::health h) noexcept;

}  // namespace tandem
