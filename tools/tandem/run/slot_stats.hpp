#pragma once

#include "run/ratio.hpp"

#include "tandem/chunk.hpp"
#include "tandem/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tandem::command {

/// Returns the number of a slot, or a dash for a chunk of a draft, because no slot generated the
/// chunk during the reply.
std::string format_slot(int slot);

/// The figures of one slot.
struct slot_stats {
    /// URL of the server in display form; empty if unknown.
    std::string server{};
    int slot = -1;
    std::int64_t requests = 0;
    std::int64_t chunks = 0;
    /// Tokens, as in `token_usage`.
    std::int64_t generated = 0;
    std::int64_t cached = 0;
    std::int64_t evaluated = 0;

    /// Adds the counts of `more`, and ignores its server and slot.
    slot_stats& operator+=(const slot_stats& more) noexcept;
    double cache_hit_ratio() const noexcept { return ratio(cached, cached + evaluated); }
};

/// Accumulates the figures of a reply's chunks by slot.
class reply_slot_stats {
 public:
    /// Returns the URL of the chunk's server in display form.
    const std::string& add(const chunk& c);
    /// Ordered by server and slot. The last slot also gets the counts that no chunk contains (the
    /// end token, or a request cut before its first chunk), so that the totals equal those of `r`.
    std::vector<slot_stats> split_by_slot(const reply_result& r) const;

 private:
    using place = std::pair<std::string, int>;
    std::map<place, slot_stats> counted_;
    // Cached because consecutive chunks usually have the same server, and parsing the URL dominates
    // the cost.
    std::string last_url_;
    std::string last_shown_;
};

/// Returns the URL of the event's server in display form; empty if there is none.
std::string server_of(const reply_result& r, const timeline_event& e);

}  // namespace tandem::command
