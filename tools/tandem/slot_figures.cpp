#include "slot_figures.hpp"

namespace tandem::command {

slot_figures& slot_figures::operator+=(const slot_figures& more) noexcept {
    requests += more.requests;
    chunks += more.chunks;
    generated += more.generated;
    cached += more.cached;
    evaluated += more.evaluated;
    return *this;
}

double slot_figures::cache_hit_ratio() const noexcept {
    const auto all = cached + evaluated;
    return all > 0 ? static_cast<double>(cached) / static_cast<double>(all) : 0.0;
}

void reply_slots::add(const chunk& c) {
    told_[c.slot] +=
        {.chunks = 1, .generated = c.tokens, .cached = c.cached, .evaluated = c.evaluated};
}

std::vector<slot_figures> reply_slots::of(const reply_result& r) const {
    auto slots = told_;
    for (const auto& e : r.timeline)
        if (e.what == timeline_event::kind::request) slots[e.slot] += {.requests = 1};
    slot_figures told;
    for (const auto& [slot, figures] : slots) told += figures;
    slots[r.metrics.slot] += {.requests = r.metrics.requests - told.requests,
                              .chunks = r.metrics.chunks - told.chunks,
                              .generated = r.usage.generated - told.generated,
                              .cached = r.usage.cached - told.cached,
                              .evaluated = r.usage.evaluated - told.evaluated};
    std::vector<slot_figures> result;
    for (auto& [slot, figures] : slots) {
        figures.slot = slot;
        // A reply without a request had no slot.
        if (slot >= 0 || figures.chunks > 0) result.push_back(figures);
    }
    return result;
}

}  // namespace tandem::command
