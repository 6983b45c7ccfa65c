#include "cluster/slot_activity.hpp"

#include <utility>

namespace tandem::cluster {

void slot_activity::record_poll(time_point now, const std::vector<tandem::slot_state>& states) {
    auto before = std::exchange(slots_, {});
    for (const auto& s : states) {
        const auto known = before.find(s.id);
        const bool is_unchanged =
            known != before.end() && !known->second.is_busy && known->second.task == s.task;
        const auto since = is_unchanged ? known->second.since : now;
        slots_[s.id] = {.task = s.task, .is_busy = s.processing, .since = since};
    }
}

std::optional<time_point> slot_activity::unused_since(int slot) const {
    const auto found = slots_.find(slot);
    if (found == slots_.end() || found->second.is_busy) return std::nullopt;
    return found->second.since;
}

std::optional<int> slot_activity::last_task(int slot) const {
    const auto found = slots_.find(slot);
    return found == slots_.end() ? std::nullopt : found->second.task;
}

}  // namespace tandem::cluster
