#include "run/server_stats.hpp"

#include <algorithm>

namespace tandem::command {

void server_stats::add(const slot_stats& used) {
    auto at = std::ranges::lower_bound(slots, used.slot, {}, &slot_stats::slot);
    if (at == slots.end() || at->slot != used.slot) at = slots.insert(at, {.slot = used.slot});
    *at += used;
}

}  // namespace tandem::command
