#pragma once

#include "base/time.hpp"

#include "tandem/server.hpp"

#include <map>
#include <optional>
#include <vector>

namespace tandem::cluster {

/// Derives since when each slot has been unused, from polls of `/slots`. The server gives a slot a
/// new task number for each request, no matter which client sends it. Pure.
class slot_activity {
 public:
    /// Records the states that the server reported at `now`.
    void record_poll(time_point now, const std::vector<tandem::slot_state>& states);

    /// Since when the slot is known to be unused; nullopt if it was busy at the last poll.
    std::optional<time_point> unused_since(int slot) const;
    std::optional<int> last_task(int slot) const;

 private:
    struct seen_slot {
        std::optional<int> task;
        bool is_busy;
        time_point since;
    };

    std::map<int, seen_slot> slots_;
};

}  // namespace tandem::cluster
