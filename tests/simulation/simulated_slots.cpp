#include "simulation/simulated_slots.hpp"

#include <algorithm>
#include <utility>

namespace tandem::test {

using slots::owner_id;
using slots::priority;

simulated_slots::simulated_slots(simulated_world& world, slot_rules rules)
    : world_(world),
      rules_(rules),
      scheduler_(rules.slots, rules.guard),
      uses_(static_cast<std::size_t>(rules.slots)) {
    scheduler_.allow_lease_sharing(rules.sharing);
    scheduler_.set_queue_limit(rules.queue_limit);
}

slots::ticket simulated_slots::want(slots::slot_request w, taker to) {
    const auto turns = std::count_if(waiting_.begin(), waiting_.end(), [](const auto& entry) {
        return entry.second.wish.priority == priority::turn;
    });
    const bool is_full = static_cast<std::size_t>(turns) >= rules_.queue_limit;
    const auto ticket = scheduler_.request(w);
    world_.check((ticket == slots::no_ticket) == (w.priority == priority::turn && is_full),
                 "turns are refused where as many wait as may, and nothing else is");
    if (ticket != slots::no_ticket) waiting_.emplace(ticket, waiting{std::move(w), std::move(to)});
    return ticket;
}

void simulated_slots::raise(slots::ticket t, slots::priority to) {
    scheduler_.raise(t, to);
    if (const auto found = waiting_.find(t); found != waiting_.end())
        found->second.wish.priority = std::min(found->second.wish.priority, to);
    give();
}

void simulated_slots::forget(slots::ticket t) {
    if (t == slots::no_ticket) return;
    scheduler_.withdraw(t);
    world_.check(waiting_.erase(t) + granted_.erase(t) == 1,
                 "only a wish that waits is taken back");
    give();
}

// Mirrors slot_manager: a slot that is not taken is free for the next ticket.
void simulated_slots::give() {
    for (auto leases_before = leases();; leases_before = leases()) {
        const auto given = scheduler_.take_grants(world_.now());
        if (given.empty()) break;
        check_grants(given, leases_before);
        for (const auto& g : given)
            if (auto who = waiting_.extract(g.ticket))
                granted_.emplace(g.ticket, std::move(who.mapped().to));
        for (const auto& g : given) offer(g);
    }
    check_leases();
    check_nobody_waits_in_vain();
    arm();
}

/// An earlier grant of the same batch may have led to the withdrawal of this ticket.
void simulated_slots::offer(const slots::grant& g) {
    const auto to = granted_.extract(g.ticket);
    if (to && to.mapped()(g)) return;
    scheduler_.release(g.slot, world_.now(), {.has_run = false});
    world_.note("a slot goes back unused");
}

void simulated_slots::arm() {
    const auto next = scheduler_.next_grant();
    if (!next) return;
    world_.at(std::max(*next - world_.now(), duration{}), [this] {
        const auto due = scheduler_.next_grant();
        if (due && *due <= world_.now()) give();
    });
}

void simulated_slots::use(int slot) {
    auto& u = at(slot);
    world_.check(!u.busy, "one request a slot");
    world_.check(!u.released || world_.now() - *u.released >= rules_.guard,
                 "no slot is used within its guard");
    u.busy = true;
}

void simulated_slots::release(int slot, slots::release_info note) {
    auto& u = at(slot);
    world_.check(u.busy, "only a slot in use is released");
    u.busy = false;
    if (note.is_use) u.released = world_.now();
    scheduler_.release(slot, world_.now(), std::move(note));
    give();
}

void simulated_slots::let_go(owner_id owner) {
    scheduler_.release_owner(owner);
    for (auto& u : uses_)
        if (u.granted_to == owner) u.granted_to = slots::nobody;
    give();
}

void simulated_slots::retire(owner_id owner) {
    scheduler_.retire(owner);
    let_go(owner);
}

void simulated_slots::set_slot_count(int slots) {
    scheduler_.set_slot_count(slots);
    for (auto i = static_cast<std::size_t>(count()); i < uses_.size(); ++i)
        uses_[i].granted_to = slots::nobody;
    give();
}

std::map<owner_id, int> simulated_slots::leases() const {
    std::map<owner_id, int> held;
    for (int slot = 0; slot < count(); ++slot) ++held[scheduler_.leased_to(slot)];
    held.erase(slots::nobody);
    return held;
}

void simulated_slots::check_grants(const std::vector<slots::grant>& given,
                                   const std::map<owner_id, int>& leases_before) {
    std::set<slots::ticket> granted;
    std::set<owner_id> served;
    for (const auto& g : given) {
        const auto found = waiting_.find(g.ticket);
        world_.check(found != waiting_.end() && granted.insert(g.ticket).second,
                     "a slot goes to somebody who waits");
        if (found != waiting_.end()) served.insert(found->second.wish.owner);
    }
    for (const auto& g : given) {
        const auto found = waiting_.find(g.ticket);
        if (found == waiting_.end()) continue;
        const auto& w = found->second.wish;
        auto& u = at(g.slot);
        world_.check(rules_.sharing || u.granted_to == slots::nobody || u.granted_to == w.owner,
                     "a leased slot is for its owner alone");
        if (g.guard_wait > duration{}) world_.note("a request waits for a guard");
        if (u.granted_to != slots::nobody && u.granted_to != w.owner)
            world_.note("a leased slot is shared");
        if (w.lease > 0) u.granted_to = w.owner;
        // In a larger batch, the tickets of the other grants do not count as waiting.
        if (granted.size() == 1) check_order(g, served, leases_before);
    }
}

// Owners without a lease compete for the same slots.
void simulated_slots::check_order(const slots::grant& g, const std::set<owner_id>& served,
                                  const std::map<owner_id, int>& leases_before) {
    const auto& taken = waiting_.at(g.ticket).wish;
    if (taken.priority == priority::warming || leases_before.contains(taken.owner)) return;
    for (const auto& [ticket, other] : waiting_) {
        if (ticket >= g.ticket) break;
        const auto& w = other.wish;
        const bool is_alike = w.priority == taken.priority && !leases_before.contains(w.owner) &&
                              !served.contains(w.owner);
        const auto why = scheduler_.find_wait_reason(ticket, world_.now());
        const bool is_choosy = w.warmed || taken.warmed || w.avoid || taken.avoid;
        world_.check(!is_alike || is_choosy || (why && why->prefilled_slot),
                     "first come, first served");
    }
}

void simulated_slots::check_leases() {
    if (rules_.sharing) return;
    for (int slot = 0; slot < count(); ++slot) {
        const auto owner = at(slot).granted_to;
        world_.check(owner == slots::nobody || scheduler_.leased_to(slot) == owner,
                     "a lease lasts until its owner lets go");
    }
}

// A request may wait for busy slots, for guards, for slots that others have leased, or for the
// prefill of its slot.
void simulated_slots::check_nobody_waits_in_vain() {
    const auto held = leases();
    std::set<int> promised;
    for (const auto& [ticket, who] : waiting_) {
        const auto why =
            scheduler_.find_wait_reason(ticket, world_.now()).value_or(slots::wait_reason{});
        world_.check(!why.guarded_slot || promised.insert(*why.guarded_slot).second,
                     "a slot is promised once");
        if (who.wish.priority == priority::warming || why.prefilled_slot) continue;
        for (int slot = 0; slot < count(); ++slot)
            world_.check(!is_open(slot, who.wish, held), "no request waits beside a free slot");
    }
    const auto next = scheduler_.next_grant();
    world_.check(!next || *next > world_.now(), "what is due is granted");
}

bool simulated_slots::is_open(int slot, const slots::slot_request& w,
                              const std::map<owner_id, int>& held) {
    const auto& u = at(slot);
    const bool is_guarded = u.released && world_.now() - *u.released < rules_.guard;
    if (scheduler_.is_busy(slot) || is_guarded) return false;
    const auto owner = scheduler_.leased_to(slot);
    if (owner == w.owner) return true;
    const auto own = held.find(w.owner);
    if (w.lease > 0 && own != held.end() && own->second >= w.lease) return false;
    return owner == slots::nobody || (rules_.sharing && w.priority <= priority::turn);
}

void simulated_slots::check_nothing_runs() const {
    for (const auto& u : uses_) world_.check(!u.busy, "no slot is left in use");
    world_.check(waiting_.empty() && granted_.empty(), "no wish for a slot is left");
}

void simulated_slots::check_nothing_left() const {
    check_nothing_runs();
    world_.check(!scheduler_.next_grant().has_value() && scheduler_.is_idle(),
                 "the scheduler's queue is empty");
    world_.check(leases().empty(), "no lease is left");
}

}  // namespace tandem::test
