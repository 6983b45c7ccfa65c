#pragma once

#include "base/time.hpp"

#include "tandem/server.hpp"

#include <map>
#include <optional>
#include <vector>

namespace tandem::cluster {

/// Finds out from polls of `/slots` how long each slot has been unused. An unchanged task number
/// shows that no client has used the slot, because each request gets a new number. Pure.
class slot_activity {
 public:
    /// Records the states that the server reported at `now`.
    void record_poll(time_point now, const std::vector<tandem::slot_state>& states);

    /// Time of the poll since which the slot has been unused; nullopt if the slot was busy at the
    /// last poll, or is unknown.
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
