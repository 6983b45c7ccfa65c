#include "reply/shared_server.hpp"

#include "config/usual_values.hpp"

namespace tandem::detail {
namespace {

int most_slots(const config& c) {
    constexpr int all = 1024;  // the bound of the field
    const int wanted = c.slots.value_or(0);
    return wanted > 0 ? wanted : all;
}

}  // namespace

slot_room::slot_room(const config& c)
    : known(c.slots.value_or(0), fixed_guard(c)), scheduler(most_slots(c), known.reuse_guard()) {
    scheduler.set_queue_limit(static_cast<std::size_t>(c.queue_limit));
    if (c.verify_cut) watch.emplace();
}

bool slot_room::is_used_by(int slot, const slot_keeper& keeper) const {
    const auto use = uses.find(slot);
    return use != uses.end() && use->second == &keeper;
}

bool slot_room::must_be_erased(const slots::grant& g, slots::owner_id owner) const {
    return g.previous != slots::nobody &&
           (isolated.contains(g.previous) || isolated.contains(owner));
}

void slot_room::follow_server() {
    if (const auto& props = known.props()) scheduler.limit_to(props->total_slots);
    scheduler.set_guard(known.reuse_guard());
}

void slot_room::take_news(const std::vector<slots::release_news>& news) {
    for (const auto& n : news) scheduler.set_side(n.slot, n.side);
    if (!watch || !watch->is_watching()) scheduler.stop_verifying();
}

void slot_room::forget_if_gone(slots::owner_id owner) {
    const auto found = isolated.find(owner);
    const bool has_left = found != isolated.end() && found->second == stay::has_left;
    if (has_left && scheduler.slots_used_by(owner).empty()) isolated.erase(found);
}

std::optional<time_point> slot_room::next_look() const {
    if (!watch) return std::nullopt;
    return watch->next_look(scheduler.is_idle() ? std::optional(last_use) : std::nullopt);
}

std::optional<circuit_breaker> shared_circuit::failed(time_point now, time_point sent) {
    const auto circuit = circuit_.lock();
    has_failed_.store(true, std::memory_order_relaxed);
    return circuit->failed(now, sent) ? std::optional(*circuit) : std::nullopt;
}

bool shared_circuit::succeeded() {
    if (!has_failed_.load(std::memory_order_relaxed)) return false;
    const auto circuit = circuit_.lock();
    has_failed_.store(false, std::memory_order_relaxed);
    return circuit->succeeded();
}

}  // namespace tandem::detail
