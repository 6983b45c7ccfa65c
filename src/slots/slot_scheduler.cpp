#include "slots/slot_scheduler.hpp"

#include <algorithm>

namespace tandem::slots {

slot_scheduler::slot_scheduler(int slots, duration reuse_guard)
    : reuse_guard_(reuse_guard), slots_(static_cast<std::size_t>(slots)) {}

ticket slot_scheduler::request() {
    queue_.push_back({++last_ticket_, std::nullopt});
    return last_ticket_;
}

void slot_scheduler::withdraw(ticket t) {
    std::erase_if(queue_, [t](const waiting& w) { return w.ticket == t; });
}

void slot_scheduler::release(int slot, time_point now) {
    const auto index = static_cast<std::size_t>(slot);
    last_used_slot_ = slot;
    if (index >= slots_.size()) return;
    slots_[index].busy = false;
    slots_[index].last_used = now;
}

void slot_scheduler::limit_to(int slots) {
    if (slots < this->slots()) slots_.resize(static_cast<std::size_t>(std::max(slots, 1)));
    next_in_turn_ %= this->slots();
}

std::vector<grant> slot_scheduler::grants(time_point now) {
    std::vector<grant> given;
    while (!queue_.empty()) {
        const auto best = choose(now);
        if (!best) break;
        if (best->ready > now) {
            if (!queue_.front().guarded_since) queue_.front().guarded_since = now;
            break;
        }
        given.push_back(give(*best, now));
    }
    return given;
}

std::optional<time_point> slot_scheduler::next_grant() const {
    if (queue_.empty()) return std::nullopt;
    std::optional<time_point> first;
    for (const auto& s : slots_)
        if (!s.busy) first = std::min(first.value_or(ready_at(s)), ready_at(s));
    return first;
}

time_point slot_scheduler::ready_at(const slot_state& s) const {
    return s.last_used ? *s.last_used + reuse_guard_ : time_point::min();
}

std::optional<slot_scheduler::choice> slot_scheduler::choose(time_point now) const {
    if (last_used_slot_ && *last_used_slot_ < slots()) {
        const auto& last = slots_[static_cast<std::size_t>(*last_used_slot_)];
        if (!last.busy && ready_at(last) <= now) return choice{*last_used_slot_, true, now};
    }
    std::optional<choice> best;
    for (int i = 0; i < slots(); ++i) {
        const int slot = (next_in_turn_ + i) % slots();
        const auto& s = slots_[static_cast<std::size_t>(slot)];
        if (!s.busy && (!best || ready_at(s) < best->ready))
            best = choice{slot, false, ready_at(s)};
    }
    return best;
}

grant slot_scheduler::give(const choice& c, time_point now) {
    const auto& first = queue_.front();
    const grant given{first.ticket, c.slot, c.reused,
                      first.guarded_since ? now - *first.guarded_since : duration{}};
    queue_.pop_front();
    slots_[static_cast<std::size_t>(c.slot)].busy = true;
    if (!c.reused) next_in_turn_ = (c.slot + 1) % slots();
    return given;
}

}  // namespace tandem::slots
