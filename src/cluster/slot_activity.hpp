#pragma once

#include "base/time.hpp"

#include "tandem/server.hpp"

#include <map>
#include <optional>
#include <vector>

namespace tandem::cluster {

/// What a server's `/slots` has shown about the use of its slots. The number of a slot's last task
/// changes with each use by anybody. Pure.
class slot_activity {
 public:
    /// The server reported its slots at `now`.
    void record(time_point now, const std::vector<tandem::slot_state>& states);

    /// Since when the slot is known to be idle and unused; nullopt if it was busy when last seen.
    std::optional<time_point> unused_since(int slot) const;
    /// The slot's last task.
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
