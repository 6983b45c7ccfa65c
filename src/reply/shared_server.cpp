#include "reply/shared_server.hpp"

#include "reply/known_server.hpp"

namespace tandem::detail {
namespace {

int most_slots(const config& c) {
    constexpr int all = 1024;  // the bound of the field
    return c.slots > 0 ? c.slots : all;
}

}  // namespace

slot_room::slot_room(const config& c)
    : scheduler(most_slots(c), known_server(c.slots, c.reuse_guard).reuse_guard()) {
    scheduler.set_queue_limit(static_cast<std::size_t>(c.queue_limit));
    if (c.verify_cut) watch.emplace();
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
