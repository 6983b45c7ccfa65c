#include "server_figures.hpp"

#include <algorithm>

namespace tandem::command {

void server_figures::add(const std::vector<slot_figures>& used) {
    for (const auto& u : used) {
        auto at = std::ranges::lower_bound(slots, u.slot, {}, &slot_figures::slot);
        if (at == slots.end() || at->slot != u.slot) at = slots.insert(at, {.slot = u.slot});
        *at += u;
    }
}

}  // namespace tandem::command
