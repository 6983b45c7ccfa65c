#pragma once

#include "engine/slot_pool.hpp"

#include <deque>
#include <optional>

namespace tandem::mock {

/// Tasks that wait for a slot. They are considered only when a slot is released, one per release,
/// and not in order of arrival.
class deferred_tasks {
 public:
    /// Appends the task. A task that is deferred again loses its former place.
    void defer(task_id task, int id_slot) { waiting_.push_back({task, id_slot}); }

    /// The task to try when `slot` is free: the first that requires this slot, otherwise the
    /// oldest, even if it waits for a slot that is still busy.
    std::optional<task_id> pop_for(int slot);

    void remove(task_id task);

 private:
    struct entry {
        task_id task;
        int id_slot;
    };
    std::deque<entry> waiting_;
};

}  // namespace tandem::mock
