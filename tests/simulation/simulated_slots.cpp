#include "simulation/simulated_slots.hpp"

#include "support/next_grant.hpp"

#include <algorithm>
#include <utility>

namespace tandem::test {

using slots::owner_id;

simulated_slots::simulated_slots(simulated_world& world, slot_rules rules)
    : world_(world),
      rules_(rules),
      scheduler_(rules.slots, rules.guard),
      uses_(static_cast<std::size_t>(rules.slots)) {
    scheduler_.set_queue_limit(rules.queue_limit);
}

slots::ticket simulated_slots::want(slots::slot_request w, grant_handler handler) {
    const auto turns = std::count_if(waiting_.begin(), waiting_.end(), [](const auto& entry) {
        return entry.second.wish.kind == slots::request_kind::turn;
    });
    const bool is_full = static_cast<std::size_t>(turns) >= rules_.queue_limit;
    const auto ticket = scheduler_.request(w);
    world_.check((ticket == slots::no_ticket) == (w.kind == slots::request_kind::turn && is_full),
                 "a turn is refused if the queue is full, and only then");
    if (ticket != slots::no_ticket)
        waiting_.emplace(ticket, waiting{std::move(w), std::move(handler)});
    return ticket;
}

void simulated_slots::set_due(slots::ticket t, time_point due) {
    scheduler_.set_due(t, due);
    if (const auto found = waiting_.find(t); found != waiting_.end()) found->second.wish.due = due;
    give();
}

void simulated_slots::record_progress(int slot, const slots::generated_so_far& g) {
    scheduler_.record_progress(slot, g, world_.now());
}

bool simulated_slots::should_yield_slot(int slot, time_point due) const {
    const bool is_live = std::ranges::any_of(
        waiting_, [](const auto& entry) { return slots::is_for_listener(entry.second.wish); });
    const bool wanted = scheduler_.should_yield_slot(slot, due, world_.now());
    world_.check(!wanted || is_live, "only a waiting live reply wants another reply's slot");
    return wanted;
}

void simulated_slots::forget(slots::ticket t) {
    if (t == slots::no_ticket) return;
    scheduler_.withdraw(t);
    world_.check(waiting_.erase(t) + granted_.erase(t) == 1, "only a waiting request is withdrawn");
    give();
}

// Mirrors slot_manager: a slot that is not taken is free for the next ticket.
void simulated_slots::give() {
    for (auto given = scheduler_.take_grants(world_.now()); !given.empty();
         given = scheduler_.take_grants(world_.now())) {
        check_grants(given);
        for (const auto& g : given)
            if (auto who = waiting_.extract(g.ticket))
                granted_.emplace(g.ticket, std::move(who.mapped().handler));
        for (const auto& g : given) offer(g);
    }
    check_nobody_waits_in_vain();
    arm();
}

/// If an earlier grant of the same batch caused the withdrawal of this ticket, the slot goes back
/// unused.
void simulated_slots::offer(const slots::grant& g) {
    const auto handler = granted_.extract(g.ticket);
    if (handler && handler.mapped()(g)) return;
    scheduler_.release(g.slot, world_.now(), {.has_run = false});
    world_.note("a slot goes back unused");
}

void simulated_slots::arm() {
    const auto next = next_grant(scheduler_);
    if (!next) return;
    world_.at(std::max(*next - world_.now(), duration{}), [this] {
        const auto due = next_grant(scheduler_);
        if (due && *due <= world_.now()) give();
    });
}

void simulated_slots::use(int slot) {
    auto& u = at(slot);
    world_.check(!u.busy, "a slot runs one request at a time");
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
    give();
}

void simulated_slots::retire(owner_id owner) {
    scheduler_.retire_owner(owner);
    let_go(owner);
}

void simulated_slots::set_slot_count(int slots) {
    scheduler_.set_slot_count(slots);
    give();
}

void simulated_slots::check_grants(const std::vector<slots::grant>& given) {
    std::set<slots::ticket> granted;
    for (const auto& g : given)
        world_.check(waiting_.contains(g.ticket) && granted.insert(g.ticket).second,
                     "a slot is granted to a waiting request");
    for (const auto& g : given)
        if (g.guard_wait > duration{}) world_.note("a request waits for a guard");
    // Checks only batches of one: in a larger batch, waiting_ still contains the other granted
    // tickets, which no longer wait.
    if (given.size() == 1 && waiting_.contains(given[0].ticket)) check_order(given[0]);
}

void simulated_slots::check_order(const slots::grant& g) {
    const auto& taken = waiting_.at(g.ticket).wish;
    if (!slots::is_for_listener(taken)) return;
    for (const auto& [ticket, other] : waiting_) {
        const auto& w = other.wish;
        const auto why = scheduler_.find_wait_reason(ticket, world_.now());
        const bool waits_for_prefill = why && why->prefilled_slot;
        world_.check(!slots::is_for_listener(w) || w.due >= taken.due || waits_for_prefill,
                     "the request that is due first is served first");
    }
}

// A request may wait for busy slots, for guards, or for the prefill of its slot.
void simulated_slots::check_nobody_waits_in_vain() {
    std::set<int> promised;
    for (const auto& [ticket, who] : waiting_) {
        const auto why =
            scheduler_.find_wait_reason(ticket, world_.now()).value_or(slots::wait_reason{});
        world_.check(!why.guarded_slot || promised.insert(*why.guarded_slot).second,
                     "a slot is promised once");
        if (!slots::is_for_listener(who.wish) || why.prefilled_slot || why.max_running) continue;
        world_.check(count_open() == 0 || may_be_kept_waiting(who.wish),
                     "no request waits beside a free slot that is not kept for turns");
    }
    const auto next = next_grant(scheduler_);
    world_.check(!next || *next > world_.now(), "each grant is made when it is due");
}

// A quarter of the slots is kept for turns. Continuations that are due in more than 2 s, and drafts
// that wait behind them, do not get these slots.
bool simulated_slots::may_be_kept_waiting(const slots::slot_request& w) {
    return w.due > world_.now() + 2s && count_open() <= count() / 4;
}

int simulated_slots::count_open() {
    int open = 0;
    for (int slot = 0; slot < count(); ++slot) open += is_open(slot) ? 1 : 0;
    return open;
}

bool simulated_slots::is_open(int slot) {
    const auto& u = at(slot);
    const bool is_guarded = u.released && world_.now() - *u.released < rules_.guard;
    return !scheduler_.is_busy(slot) && !is_guarded;
}

void simulated_slots::check_nothing_runs() const {
    for (const auto& u : uses_) world_.check(!u.busy, "no slot is left in use");
    world_.check(waiting_.empty() && granted_.empty(), "no slot request is left");
}

void simulated_slots::check_nothing_left() const {
    check_nothing_runs();
    world_.check(!next_grant(scheduler_).has_value() && scheduler_.is_idle(),
                 "the scheduler's queue is empty");
}

}  // namespace tandem::test
