#include "server/slot_keeper.hpp"

#include "loop/clock.hpp"
#include "server/client_core.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

namespace tandem::detail {

slot_keeper::slot_keeper(client_core& core, shared_slots room)
    : core_(core),
      room_(std::move(room)),
      timer_(std::in_place, core.executor()),
      watch_timer_(std::in_place, core.executor()) {}

void slot_keeper::join() {
    const auto room = room_->lock();
    room->keepers.emplace(this, std::nullopt);
    // The new user may have raised the number of slots.
    wake_those_who_wait(*room);
}

slot_keeper::~slot_keeper() {
    leave();
}

// Not inline, also where two loops are strands of one context: the caller may hold the room's lock.
void slot_keeper::post(std::function<void(slot_keeper&)> f) {
    boost::asio::post(core_.executor(),
                      [weak = core_.weak_from_this(), f = std::move(f)]() mutable {
                          if (const auto core = weak.lock()) f(core->keeper());
                      });
}

// Posts only to keepers whose requests wait: the loop of an idle client may never run again.
void slot_keeper::wake_those_who_wait(const slot_room& room) {
    std::set<slot_keeper*> waiting;
    for (const auto& [ticket, wish] : room.wishes) waiting.insert(wish.keeper);
    for (auto* const keeper : waiting) keeper->post([](slot_keeper& k) { k.give(); });
}

void slot_keeper::leave() noexcept {
    const auto room = room_->lock();
    if (room->keepers.erase(this) == 0) return;
    for (const auto& [ticket, wish] : room->wishes)
        if (wish.keeper == this) room->scheduler.withdraw(ticket);
    for (const auto& [slot, keeper] : room->uses)
        if (keeper == this) {
            room->last_use = room->last_ends[slot] = now();
            room->scheduler.release(slot, now(), {.side = slots::server_side::maybe_busy});
        }
    for (const auto& [owner, keeper] : room->owners)
        if (keeper == this) room->scheduler.let_go(owner);
    const auto is_own = [this](const auto& entry) { return entry.second == this; };
    std::erase_if(room->wishes, [this](const auto& w) { return w.second.keeper == this; });
    std::erase_if(room->uses, is_own);
    std::erase_if(room->owners, is_own);
    std::erase_if(room->when_idle, [this](const auto& w) { return w.second.keeper == this; });
    if (room->looker == this && room->watch) room->take_news(room->watch->failed(now()));
    if (room->looker == this) room->looker = nullptr;
    wake_those_who_wait(*room);
}

slots::owner_id slot_keeper::in_room(slots::owner_id owner) const {
    return owner == slots::nobody ? slots::nobody : core_.home().in_process(owner);
}

slots::ticket slot_keeper::want(slots::wish w, slot_taker taker) {
    waiting who{std::move(taker), w.priority == slots::priority::warming};
    w.owner = in_room(w.owner);
    const auto owner = w.owner;
    const auto room = room_->lock();
    if (!room->keepers.contains(this)) return slots::no_ticket;
    if (owner != slots::nobody) room->owners[owner] = this;
    const auto t = room->scheduler.request(std::move(w));
    if (t == slots::no_ticket) return t;
    room->wishes.emplace(t, slot_room::wish_of{this, owner});
    waiting_.emplace(t, std::move(who));
    return t;
}

void slot_keeper::give() {
    if (core_.shut_down() || core_.home().closed()) return;
    // A taker may let go of the last reply, and of the client.
    const auto core = core_.shared_from_this();
    // What is not taken is free for the next ticket.
    for (auto given = take_grants(); !given.empty(); given = take_grants())
        for (const auto& g : given) offer(g);
    arm_timer();
    arm_watch();
}

// Those of other loops are told there. What must be erased is decided here: who was isolated may
// have left for good until then.
auto slot_keeper::take_grants() -> std::vector<granted> {
    const auto room = room_->lock();
    std::vector<granted> own;
    for (const auto& g : room->scheduler.grants(now())) {
        const auto wish = room->wishes.extract(g.ticket).mapped();
        const granted given{g, room->must_be_erased(g, wish.owner)};
        room->uses[g.slot] = wish.keeper;
        if (wish.keeper == this)
            own.push_back(given);
        else
            wish.keeper->post([given](slot_keeper& k) {
                k.offer(given);
                k.give();
            });
    }
    return own;
}

void slot_keeper::offer(const granted& given) {
    const auto& g = given.grant;
    // It may have left since it was granted the slot.
    if (!room_->lock()->is_used_by(g.slot, *this)) return;
    if (!given.must_be_erased) return hand_over(g);
    empty_slot(g.slot, [this, g] {
        room_->lock()->forget_if_gone(g.previous);
        hand_over(g);
        give();
    });
}

void slot_keeper::tell_of_wait(const slots::grant& g, bool is_warming) {
    // Nobody waits for what is prefilled.
    const auto advice =
        is_warming ? std::string() : room_->lock()->known.tell_of_wait(g.guard_wait);
    core_.log(is_warming ? log_level::debug : log_level::warning,
              "slot {}: reuse guard, waited {:.0f} ms{}", g.slot, to_ms(g.guard_wait), advice);
}

void slot_keeper::hand_over(const slots::grant& g) {
    // One that was forgotten since the slot was granted is not there any more.
    const auto found = waiting_.extract(g.ticket);
    if (found && g.guard_wait > duration{}) tell_of_wait(g, found.mapped().is_warming);
    if (!found || core_.shut_down() || !found.mapped().taker(g)) return give_back(g.slot);
    const auto room = room_->lock();
    // The taker may have given it back already.
    if (room->watch && room->is_used_by(g.slot, *this)) room->watch->granted(g.slot, now());
}

// Nothing ran on it.
void slot_keeper::give_back(int slot) {
    const auto room = room_->lock();
    if (!room->is_used_by(slot, *this)) return;
    room->uses.erase(slot);
    room->scheduler.release(slot, now(), {.has_run = false});
}

// --- text that others must not see

/// Precondition: the slot is in use.
void slot_keeper::empty_slot(int slot, std::function<void()> then) {
    core_.calls().erase_slot(
        slot, [this, slot, then = std::move(then)](error_code ec, const diagnostics& diag) {
            const auto core = core_.shared_from_this();
            if (ec) tell_not_erased(slot, diag);
            if (const auto room = room_->lock(); ec)
                room->foreign.insert(slot);
            else
                room->scheduler.forget_contents(slot);
            then();
        });
}

// Of those that are in use, the use ends with their owner, and the next one erases them.
std::vector<int> slot_keeper::occupy_slots_of(slots::owner_id owner) {
    const auto room = room_->lock();
    room->isolated[owner] = stay::has_left;
    auto idle = room->scheduler.slots_used_by(owner);
    std::erase_if(idle, [&](int slot) { return room->scheduler.busy(slot); });
    for (const int slot : idle) {
        room->scheduler.occupy(slot);
        room->uses[slot] = this;
    }
    room->forget_if_gone(owner);
    return idle;
}

void slot_keeper::erase_slots_of(slots::owner_id owner) {
    for (const int slot : occupy_slots_of(owner))
        empty_slot(slot, [this, slot, owner] {
            give_back(slot);
            room_->lock()->forget_if_gone(owner);
            give();
        });
}

void slot_keeper::tell_not_erased(int slot, const diagnostics& diag) {
    const bool first = !std::exchange(room_->lock()->erase_warned, true);
    core_.log(first ? log_level::warning : log_level::debug, "slot {}: not erased: {}", slot,
              diag.to_string());
}

void slot_keeper::let_go(slots::owner_id owner) {
    {
        const auto room = room_->lock();
        room->owners.erase(in_room(owner));
        room->scheduler.let_go(in_room(owner));
    }
    give();
}

bool slot_keeper::is_with(int slot, slots::owner_id owner) const {
    const auto used = room_->lock()->scheduler.slots_used_by(in_room(owner));
    return std::ranges::find(used, slot) != used.end();
}

void slot_keeper::retire(slots::owner_id owner) {
    owner = in_room(owner);
    const bool is_isolated = room_->lock()->isolated.contains(owner);
    if (is_isolated) erase_slots_of(owner);
    {
        const auto room = room_->lock();
        room->owners.erase(owner);
        room->scheduler.retire(owner);
    }
    give();
}

duration slot_keeper::forget(slots::ticket t) {
    const auto guarded = withdraw(t);
    waiting_.erase(t);
    give();
    return guarded;
}

duration slot_keeper::withdraw(slots::ticket t) {
    const auto room = room_->lock();
    const auto guarded = room->scheduler.guard_wait(t, now());
    room->scheduler.withdraw(t);
    room->wishes.erase(t);
    return guarded;
}

void slot_keeper::raise(slots::ticket t, slots::priority to) {
    room_->lock()->scheduler.raise(t, to);
    give();
}

void slot_keeper::log_wait(std::uint64_t reply, slots::ticket t) const {
    const auto why = room_->lock()->scheduler.why_waiting(t, now());
    if (why) core_.log(log_level::info, "reply {}: {}", reply, slots::in_words(*why));
}

void slot_keeper::release(int slot, slots::release_note note, bool erase, bool was_cut,
                          std::function<void(duration)> when_idle) {
    ended_use use{slot, std::move(note), now(), was_cut, std::move(when_idle)};
    if (!erase || core_.shut_down()) return put_back(std::move(use));
    core_.calls().erase_slot(slot,
                             [this, use = std::move(use)](error_code ec, const diagnostics& diag) {
                                 erased(use, ec, diag);
                             });
}

// The server erases a slot only when it is idle.
void slot_keeper::erased(const ended_use& use, const error_code& ec, const diagnostics& diag) {
    const auto core = core_.shared_from_this();
    if (!ec) {
        const bool is_watching = room_->lock()->watch.has_value();
        if (is_watching && use.was_cut && use.when_idle) use.when_idle(now() - use.at);
        return put_back({.slot = use.slot, .note = {.is_use = use.note.is_use}, .at = use.at});
    }
    tell_not_erased(use.slot, diag);
    put_back(use);
}

void slot_keeper::put_back(ended_use use) {
    {
        const auto room = room_->lock();
        if (!room->is_used_by(use.slot, *this)) return;
        room->uses.erase(use.slot);
        room->foreign.erase(use.slot);
        room->last_use = room->last_ends[use.slot] = now();
        if (room->watch && use.was_cut) {
            use.note.side = room->watch->cut(use.slot, use.at, use.note.side);
            room->when_idle[use.slot] = {this, std::move(use.when_idle)};
        }
        room->scheduler.release(use.slot, room->last_use, std::move(use.note));
    }
    give();
}

std::vector<log_line> slot_keeper::learn(const server_props& props) {
    std::vector<log_line> lines;
    {
        const auto room = room_->lock();
        lines = room->known.learn(props);
        room->follow_server();
    }
    give();
    return lines;
}

std::vector<log_line> slot_keeper::ran_on_another_slot(int asked, int used) {
    std::vector<log_line> lines;
    {
        const auto room = room_->lock();
        lines = room->known.ran_on_another_slot(asked, used);
        room->follow_server();
    }
    give();
    return lines;
}

void slot_keeper::request_failed(const error_code& ec) {
    {
        const auto room = room_->lock();
        room->known.request_failed(ec);
        room->follow_server();
    }
    give();
}

void slot_keeper::stop() {
    timer_->cancel();
    watch_timer_->cancel();
}

void slot_keeper::context_ended() noexcept {
    leave();
    waiting_.clear();
    timer_.reset();
    watch_timer_.reset();
}

// Each loop wakes up for its own wishes: another one may be busy, or at its end.
void slot_keeper::arm_timer() {
    const auto due = set_alarms();
    // A timer that no one waits for would keep the event loop busy.
    if (!due) return void(timer_->cancel());
    timer_->expires_at(*due);
    timer_->async_wait([this, weak = core_.weak_from_this()](error_code ec) {
        if (const auto core = weak.lock(); core && !ec) give();
    });
}

// Gives its own.
std::optional<time_point> slot_keeper::set_alarms() {
    const auto room = room_->lock();
    std::map<slot_keeper*, time_point> first;
    for (const auto& due : room->scheduler.due_grants()) {
        const auto at = first.emplace(room->wishes.at(due.ticket).keeper, due.at).first;
        at->second = std::min(at->second, due.at);
    }
    const auto own = room->keepers.find(this);
    if (own == room->keepers.end()) return std::nullopt;
    own->second.reset();
    for (const auto& [keeper, at] : first) {
        auto& alarm = room->keepers.at(keeper);
        if (alarm && *alarm <= at) continue;
        alarm = at;
        if (keeper != this) keeper->post([](slot_keeper& k) { k.give(); });
    }
    return own->second;
}

}  // namespace tandem::detail
