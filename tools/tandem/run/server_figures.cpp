#include "run/server_figures.hpp"

#include <algorithm>

namespace tandem::command {

void server_figures::add(const slot_figures& used) {
    auto at = std::ranges::lower_bound(slots, used.slot, {}, &slot_figures::slot);
    if (at == slots.end() || at->slot != used.slot) at = slots.insert(at, {.slot = used.slot});
    *at += used;
}

}  // namespace tandem::command
