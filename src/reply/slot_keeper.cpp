#include "reply/slot_keeper.hpp"

#include "reply/client_core.hpp"
#include "reply/clock.hpp"

#include <utility>

namespace tandem::detail {

slot_keeper::slot_keeper(client_core& core, duration reuse_guard)
    : core_(core),
      scheduler_(core.config().slots, reuse_guard),
      timer_(std::in_place, core.executor()) {}

slots::ticket slot_keeper::want(slots::wish w, slot_taker taker) {
    const bool is_warming = w.is_warming;
    const auto t = scheduler_.request(std::move(w));
    waiting_.emplace(t, waiting{std::move(taker), is_warming});
    return t;
}

void slot_keeper::give() {
    if (core_.shut_down()) return;
    // A taker may let go of the last reply, and of the client.
    const auto core = core_.shared_from_this();
    // What is not taken is free for the next ticket.
    for (auto given = scheduler_.grants(now()); !given.empty(); given = scheduler_.grants(now()))
        for (const auto& g : given) offer(g);
    arm_timer();
}

void slot_keeper::offer(const slots::grant& g) {
    // One that was forgotten since the slot was granted is not there any more.
    const auto found = waiting_.extract(g.ticket);
    if (found && g.guard_wait > duration{})
        core_.log(found.mapped().is_warming ? log_level::debug : log_level::warning,
                  "slot {}: reuse guard, waited {:.0f} ms", g.slot, to_ms(g.guard_wait));
    if (!found || !found.mapped().taker(g)) scheduler_.release(g.slot, now(), {.is_use = false});
}

void slot_keeper::forget(slots::ticket t) {
    scheduler_.withdraw(t);
    waiting_.erase(t);
    give();
}

void slot_keeper::log_wait(std::uint64_t reply, slots::ticket t) const {
    if (const auto why = scheduler_.why_waiting(t, now()))
        core_.log(log_level::info, "reply {}: {}", reply, slots::in_words(*why));
}

void slot_keeper::release(int slot, slots::release_note note, bool erase, bool /*was_cut*/,
                          std::function<void(duration)> /*when_idle*/) {
    if (!erase || core_.shut_down()) return put_back(slot, std::move(note));
    core_.calls().erase_slot(
        slot, [this, slot, note = std::move(note)](error_code ec, const diagnostics& diag) mutable {
            erased(slot, std::move(note), ec, diag);
        });
}

// The server erases a slot only when it is idle.
void slot_keeper::erased(int slot, slots::release_note note, const error_code& ec,
                         const diagnostics& diag) {
    if (!ec) return put_back(slot, {.is_use = note.is_use});
    const bool first = !std::exchange(erase_warned_, true);
    core_.log(first ? log_level::warning : log_level::debug, "slot {}: not erased: {}", slot,
              diag.to_string());
    put_back(slot, std::move(note));
}

void slot_keeper::put_back(int slot, slots::release_note note) {
    scheduler_.release(slot, now(), std::move(note));
    give();
}

void slot_keeper::limit_to(int slots) {
    scheduler_.limit_to(slots);
    give();
}

void slot_keeper::set_guard(duration reuse_guard) {
    scheduler_.set_guard(reuse_guard);
    give();
}

void slot_keeper::stop() {
    timer_->cancel();
}

void slot_keeper::context_ended() noexcept {
    waiting_.clear();
    timer_.reset();
}

void slot_keeper::arm_timer() {
    const auto due = scheduler_.next_grant();
    // A timer that nobody waits for would keep the event loop busy.
    if (!due) return void(timer_->cancel());
    timer_->expires_at(*due);
    timer_->async_wait([this, weak = core_.weak_from_this()](error_code ec) {
        if (const auto core = weak.lock(); core && !ec) give();
    });
}

}  // namespace tandem::detail
