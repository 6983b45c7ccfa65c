#pragma once

#include "slots/slot_scheduler.hpp"

#include <algorithm>
#include <optional>

namespace tandem::slots {

/// The time of the next grant; nullopt if no ticket waits for a guard.
inline std::optional<time_point> next_grant(const slot_scheduler& s) {
    std::optional<time_point> next;
    for (const auto& due : s.due_grants()) next = std::min(next.value_or(due.at), due.at);
    return next;
}

}  // namespace tandem::slots
