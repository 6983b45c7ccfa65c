#include "engine/deferred_tasks.hpp"

#include <algorithm>

namespace tandem::mock {

std::optional<task_id> deferred_tasks::pop_for(int slot) {
    if (waiting_.empty()) return std::nullopt;
    auto chosen = std::find_if(waiting_.begin(), waiting_.end(),
                               [slot](const entry& e) { return e.id_slot == slot; });
    if (chosen == waiting_.end()) chosen = waiting_.begin();
    const task_id task = chosen->task;
    waiting_.erase(chosen);
    return task;
}

void deferred_tasks::remove(task_id task) {
    std::erase_if(waiting_, [task](const entry& e) { return e.task == task; });
}

}  // namespace tandem::mock
