#pragma once

#include "tandem/chunk.hpp"
#include "tandem/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tandem::command {

/// What was done on one slot of a server.
struct slot_figures {
    /// URL of the server, as it may be shown; empty if it is not known.
    std::string server{};
    int slot = -1;
    std::int64_t requests = 0;
    std::int64_t chunks = 0;
    /// Tokens, as in `token_usage`.
    std::int64_t generated = 0;
    std::int64_t cached = 0;
    std::int64_t evaluated = 0;

    /// Adds all but the slot's names.
    slot_figures& operator+=(const slot_figures& more) noexcept;
    double cache_hit_ratio() const noexcept;
};

/// Adds up by slot what the chunks of one reply tell.
class reply_slots {
 public:
    /// Gives the URL of the chunk's server as it may be shown.
    const std::string& add(const chunk& c);
    /// In the order of servers and slots; the sums are those of the result. What no chunk told (the
    /// end token, a request that was cut before its first chunk) counts for the last slot.
    std::vector<slot_figures> of(const reply_result& r) const;

 private:
    using place = std::pair<std::string, int>;
    std::map<place, slot_figures> told_;
    // One server makes chunk after chunk, and reading its URL takes longer than all else here.
    std::string last_url_;
    std::string last_shown_;
};

/// URL of the server that an event of `r` happened at, as it may be shown; empty if there is none.
std::string server_of(const reply_result& r, const timeline_event& e);

}  // namespace tandem::command
