#include "reply/slot_keeper.hpp"

#include "reply/client_core.hpp"
#include "reply/clock.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tandem::detail {
namespace {

// What a server answers that does not have /slots, or not for us.
constexpr std::array no_slots{errc::not_supported, errc::unauthorized, errc::bad_request,
                              errc::bad_response};

int most_slots(const config& c) {
    constexpr int all = 1024;  // the bound of the field
    return c.slots > 0 ? c.slots : all;
}

}  // namespace

slot_keeper::slot_keeper(client_core& core, duration reuse_guard)
    : core_(core),
      scheduler_(most_slots(core.config()), reuse_guard),
      timer_(std::in_place, core.executor()),
      watch_timer_(std::in_place, core.executor()) {
    scheduler_.set_queue_limit(static_cast<std::size_t>(core.config().queue_limit));
    if (core.config().verify_cut) watch_.emplace();
}

slots::ticket slot_keeper::want(slots::wish w, slot_taker taker) {
    waiting who{std::move(taker), w.priority == slots::priority::warming, w.owner};
    const auto t = scheduler_.request(std::move(w));
    if (t != slots::no_ticket) waiting_.emplace(t, std::move(who));
    return t;
}

void slot_keeper::give() {
    if (core_.shut_down() || core_.home().closed()) return;
    // A taker may let go of the last reply, and of the client.
    const auto core = core_.shared_from_this();
    // What is not taken is free for the next ticket.
    for (auto given = scheduler_.grants(now()); !given.empty(); given = scheduler_.grants(now()))
        for (const auto& g : given) offer(g);
    arm_timer();
    arm_watch();
}

void slot_keeper::offer(const slots::grant& g) {
    if (!must_be_erased(g)) return hand_over(g);
    empty_slot(g.slot, [this, g] {
        forget_if_gone(g.previous);
        hand_over(g);
        give();
    });
}

void slot_keeper::hand_over(const slots::grant& g) {
    // One that was forgotten since the slot was granted is not there any more.
    const auto found = waiting_.extract(g.ticket);
    if (found && g.guard_wait > duration{})
        core_.log(found.mapped().is_warming ? log_level::debug : log_level::warning,
                  "slot {}: reuse guard, waited {:.0f} ms", g.slot, to_ms(g.guard_wait));
    if (!found || core_.shut_down() || !found.mapped().taker(g))
        return scheduler_.release(g.slot, now(), {.has_run = false});
    // The taker may have given it back already.
    if (watch_ && scheduler_.busy(g.slot)) watch_->granted(g.slot, now());
}

// --- text that others must not see

bool slot_keeper::must_be_erased(const slots::grant& g) const {
    if (g.previous == slots::nobody || isolated_.empty()) return false;
    const auto found = waiting_.find(g.ticket);
    const auto owner = found == waiting_.end() ? slots::nobody : found->second.owner;
    return isolated_.count(g.previous) > 0 || isolated_.count(owner) > 0;
}

/// Precondition: the slot is in use.
void slot_keeper::empty_slot(int slot, std::function<void()> then) {
    core_.calls().erase_slot(
        slot, [this, slot, then = std::move(then)](error_code ec, const diagnostics& diag) {
            const auto core = core_.shared_from_this();
            if (!ec) {
                scheduler_.forget_contents(slot);
            } else {
                foreign_.insert(slot);
                tell_not_erased(slot, diag);
            }
            then();
        });
}

void slot_keeper::forget_if_gone(slots::owner_id owner) {
    const auto found = isolated_.find(owner);
    const bool has_left = found != isolated_.end() && found->second == stay::has_left;
    if (has_left && scheduler_.slots_used_by(owner).empty()) isolated_.erase(found);
}

void slot_keeper::erase_slots_of(slots::owner_id owner) {
    isolated_[owner] = stay::has_left;
    for (const int slot : scheduler_.slots_used_by(owner)) {
        // Its use ends with its owner, and the next one erases it.
        if (scheduler_.busy(slot)) continue;
        scheduler_.occupy(slot);
        empty_slot(slot, [this, slot, owner] {
            scheduler_.release(slot, now(), {.has_run = false});
            forget_if_gone(owner);
            give();
        });
    }
    forget_if_gone(owner);
}

void slot_keeper::tell_not_erased(int slot, const diagnostics& diag) {
    const bool first = !std::exchange(erase_warned_, true);
    core_.log(first ? log_level::warning : log_level::debug, "slot {}: not erased: {}", slot,
              diag.to_string());
}

void slot_keeper::let_go(slots::owner_id owner) {
    scheduler_.let_go(owner);
    give();
}

void slot_keeper::retire(slots::owner_id owner) {
    if (isolated_.contains(owner)) erase_slots_of(owner);
    scheduler_.retire(owner);
    give();
}

duration slot_keeper::forget(slots::ticket t) {
    const auto guarded = scheduler_.guard_wait(t, now());
    scheduler_.withdraw(t);
    waiting_.erase(t);
    give();
    return guarded;
}

void slot_keeper::raise(slots::ticket t, slots::priority to) {
    scheduler_.raise(t, to);
    give();
}

void slot_keeper::log_wait(std::uint64_t reply, slots::ticket t) const {
    if (const auto why = scheduler_.why_waiting(t, now()))
        core_.log(log_level::info, "reply {}: {}", reply, slots::in_words(*why));
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
        if (watch_ && use.was_cut && use.when_idle) use.when_idle(now() - use.at);
        return put_back({.slot = use.slot, .note = {.is_use = use.note.is_use}, .at = use.at});
    }
    tell_not_erased(use.slot, diag);
    put_back(use);
}

void slot_keeper::put_back(ended_use use) {
    foreign_.erase(use.slot);
    last_use_ = now();
    if (watch_ && use.was_cut) {
        use.note.side = watch_->cut(use.slot, use.at, use.note.side);
        when_idle_[use.slot] = std::move(use.when_idle);
    }
    scheduler_.release(use.slot, last_use_, std::move(use.note));
    give();
}

void slot_keeper::server_has(int slots, duration reuse_guard) {
    scheduler_.limit_to(slots);
    scheduler_.set_guard(reuse_guard);
    give();
}

void slot_keeper::set_guard(duration reuse_guard) {
    scheduler_.set_guard(reuse_guard);
    give();
}

int slot_keeper::requests_waiting() const noexcept {
    const auto live = std::count_if(waiting_.begin(), waiting_.end(),
                                    [](const auto& w) { return !w.second.is_warming; });
    return static_cast<int>(live);
}

void slot_keeper::stop() {
    timer_->cancel();
    watch_timer_->cancel();
}

void slot_keeper::context_ended() noexcept {
    waiting_.clear();
    when_idle_.clear();
    timer_.reset();
    watch_timer_.reset();
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

// --- cuts that are verified

std::optional<time_point> slot_keeper::next_look() const {
    if (!watch_) return std::nullopt;
    return watch_->next_look(scheduler_.is_idle() ? std::optional(last_use_) : std::nullopt);
}

void slot_keeper::arm_watch() {
    const auto due = next_look();
    if (!due) return void(watch_timer_->cancel());
    watch_timer_->expires_at(*due);
    watch_timer_->async_wait([this, weak = core_.weak_from_this()](error_code ec) {
        if (const auto core = weak.lock(); core && !ec) look();
    });
}

void slot_keeper::look() {
    // The timer may have been set anew just when it ran out.
    const auto due = next_look();
    if (core_.shut_down() || !due || *due > now()) return;
    watch_->look_begun(now());
    core_.calls().slots(
        [this](error_code ec, const diagnostics& diag, const std::vector<slot_state>& states) {
            looked(ec, diag, states);
        });
}

void slot_keeper::looked(const error_code& ec, const diagnostics& diag,
                         const std::vector<slot_state>& states) {
    if (core_.shut_down()) return;
    const auto core = core_.shared_from_this();
    if (!ec) {
        take_news(watch_->answered(states, now()));
    } else if (std::find(no_slots.begin(), no_slots.end(), ec) == no_slots.end()) {
        core_.log(log_level::debug, "verify_cut: {}", diag.to_string());
        take_news(watch_->failed(now()));
    } else {
        core_.log(log_level::warning, "verify_cut: cuts are not verified: {}", diag.to_string());
        take_news(watch_->give_up(now()));
        watch_.reset();
    }
    if (!watch_ || !watch_->is_watching()) scheduler_.stop_verifying();
    give();
}

void slot_keeper::take_news(const std::vector<slots::release_news>& news) {
    for (const auto& n : news) {
        scheduler_.set_side(n.slot, n.side);
        log_news(n);
        if (n.side != slots::server_side::idle) continue;
        const auto told = when_idle_.extract(n.slot);
        if (told && told.mapped()) told.mapped()(n.since_cut);
    }
}

void slot_keeper::log_news(const slots::release_news& n) const {
    const double seconds = to_ms(n.since_cut) / 1000;
    if (n.side == slots::server_side::busy)
        core_.log(log_level::warning,
                  "slot {}: still busy at the server {:.1f} s after its request was cut; set aside "
                  "until it is idle",
                  n.slot, seconds);
    else if (!n.was_stuck)
        core_.log(log_level::debug, "slot {}: idle {:.0f} ms after the cut", n.slot,
                  to_ms(n.since_cut));
    else if (n.side == slots::server_side::idle)
        core_.log(log_level::info, "slot {}: idle {:.1f} s after the cut; used again", n.slot,
                  seconds);
    else
        core_.log(log_level::info,
                  "slot {}: used again, as the server does not tell whether it is "
                  "idle",
                  n.slot);
}

}  // namespace tandem::detail
