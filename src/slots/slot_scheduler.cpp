#include "slots/slot_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tandem::slots {

std::string in_words(const wait& w) {
    if (w.guarded_slot)
        return fmt::format("waits {:.0f} ms for the reuse guard of slot {}", to_ms(w.guard_left),
                           *w.guarded_slot);
    return fmt::format("waits for a slot: {} in use or promised, {} waiting before it", w.slots,
                       w.before);
}

slot_scheduler::slot_scheduler(int slots, duration reuse_guard)
    : reuse_guard_(reuse_guard), slots_(static_cast<std::size_t>(slots)), usable_(slots) {}

ticket slot_scheduler::request() {
    queue_.push_back({++last_ticket_, std::nullopt});
    return last_ticket_;
}

void slot_scheduler::withdraw(ticket t) {
    std::erase_if(queue_, [t](const waiting& w) { return w.ticket == t; });
}

void slot_scheduler::release(int slot, time_point now, server_side side) {
    last_used_slot_ = slot;
    slots_[static_cast<std::size_t>(slot)] = {false, side, now};
}

void slot_scheduler::limit_to(int slots) {
    usable_ = std::clamp(slots, 1, static_cast<int>(slots_.size()));
    next_in_turn_ %= usable_;
}

std::vector<grant> slot_scheduler::grants(time_point now) {
    std::vector<grant> given;
    while (!queue_.empty()) {
        const auto best = choose(now);
        if (!best || ready_at(*best) > now) break;
        given.push_back(give(*best, now));
    }
    note_guards(now);
    return given;
}

std::optional<time_point> slot_scheduler::next_grant() const {
    if (queue_.empty()) return std::nullopt;
    const auto idle = idle_slots();
    if (idle.empty()) return std::nullopt;
    return ready_at(idle.front());
}

std::optional<wait> slot_scheduler::why_waiting(ticket t, time_point now) const {
    const auto found =
        std::find_if(queue_.begin(), queue_.end(), [t](const waiting& w) { return w.ticket == t; });
    if (found == queue_.end()) return std::nullopt;
    const auto before = static_cast<std::size_t>(found - queue_.begin());
    wait w{.before = static_cast<int>(before), .slots = usable_};
    if (const auto idle = idle_slots(); before < idle.size()) {
        w.guarded_slot = idle[before];
        w.guard_left = std::max(ready_at(idle[before]) - now, duration{});
    }
    return w;
}

time_point slot_scheduler::ready_at(int slot) const {
    const auto& s = at(slot);
    return s.last_used ? *s.last_used + reuse_guard_ : time_point::min();
}

// In the order in which their guards end; those that end together, in turn.
std::vector<int> slot_scheduler::idle_slots() const {
    std::vector<int> idle;
    for (int i = 0; i < usable_; ++i)
        if (const int slot = (next_in_turn_ + i) % usable_; !at(slot).busy) idle.push_back(slot);
    std::stable_sort(idle.begin(), idle.end(),
                     [this](int a, int b) { return ready_at(a) < ready_at(b); });
    return idle;
}

std::optional<int> slot_scheduler::choose(time_point now) const {
    const auto idle = idle_slots();
    if (idle.empty()) return std::nullopt;
    const auto rank = [&](int slot) {
        const bool must_wait = ready_at(slot) > now;
        const bool maybe_busy = !must_wait && at(slot).side == server_side::maybe_busy;
        const bool other = !must_wait && slot != last_used_slot_;
        return std::tuple(must_wait, maybe_busy, other);
    };
    // The first of the best: the one whose guard ends first.
    return *std::min_element(idle.begin(), idle.end(),
                             [&](int a, int b) { return rank(a) < rank(b); });
}

grant slot_scheduler::give(int slot, time_point now) {
    const auto& first = queue_.front();
    const auto guarded = first.guarded_since ? now - *first.guarded_since : duration{};
    const bool reused = slot == last_used_slot_;
    const grant given{first.ticket, slot, reused, first.guarded + guarded};
    queue_.pop_front();
    slots_[static_cast<std::size_t>(slot)].busy = true;
    if (!reused) next_in_turn_ = (slot + 1) % usable_;
    return given;
}

// A ticket waits for a guard while there is an idle slot for it besides those that the tickets
// before it will take; else it waits for other replies.
void slot_scheduler::note_guards(time_point now) {
    auto idle = idle_slots().size();
    for (auto& w : queue_) {
        const bool guarded = idle > 0;
        if (guarded) --idle;
        if (guarded && !w.guarded_since) w.guarded_since = now;
        if (!guarded && w.guarded_since) w.guarded += now - *std::exchange(w.guarded_since, {});
    }
}

}  // namespace tandem::slots
