#include "simulation/simulation.hpp"

#include "simulation/simulated_reply.hpp"

#include <utility>

namespace tandem::test {
namespace {

using namespace std::chrono_literals;
constexpr std::uint64_t most_steps = 200'000;

duration random_guard(rng& random) {
    constexpr duration guards[] = {0s, 500ms, 2s};
    return guards[pick(random, 0, 2)];
}

}  // namespace

simulation::simulation(std::uint64_t seed)
    : random_(seed),
      guard_(random_guard(random_)),
      scheduler_(pick(random_, 1, 3), guard_),
      uses_(static_cast<std::size_t>(scheduler_.slots())) {
    for (int n = pick(random_, 1, 4); n > 0; --n)
        replies_.push_back(std::make_unique<simulated_reply>(*this, replies_.size() + 1));
}

simulation::~simulation() = default;

std::vector<std::string> simulation::run() {
    for (auto& r : replies_)
        at(std::chrono::milliseconds(pick(random_, 0, 5000)), [&r] { r->start(); });
    while (!agenda_.empty() && steps_ < most_steps && broken_.empty()) {
        auto next = agenda_.extract(agenda_.begin());
        now_ = next.key().first;
        next.mapped()();
        ++steps_;
    }
    check(steps_ < most_steps, "the run comes to an end");
    if (broken_.empty()) check_nothing_left();
    return broken_;
}

void simulation::at(duration delay, std::function<void()> what) {
    agenda_.emplace(std::pair(now_ + delay, ++order_), std::move(what));
}

detail::reply_machine::transitions simulation::made() const {
    detail::reply_machine::transitions all;
    for (const auto& r : replies_) all |= r->made();
    return all;
}

slots::ticket simulation::want_slot(slots::wish w, std::function<void(const slots::grant&)> taker) {
    const bool is_live = w.priority != slots::priority::warming;
    const auto ticket = scheduler_.request(std::move(w));
    if (is_live) live_.insert(ticket);
    waiting_[ticket] = std::move(taker);
    return ticket;
}

void simulation::forget_slot(slots::ticket t) {
    scheduler_.withdraw(t);
    check(waiting_.erase(t) == 1, "only a wish that waits is taken back");
    give_slots();
}

void simulation::give_slots() {
    for (const auto& g : scheduler_.grants(now_)) {
        const auto waiting = waiting_.extract(g.ticket);
        check(!waiting.empty(), "a slot goes to somebody who waits");
        if (waiting) waiting.mapped()(g);
    }
    check_nobody_waits_in_vain();
    if (const auto next = scheduler_.next_grant())
        at(std::max(*next - now_, duration{}), [this] {
            const auto due = scheduler_.next_grant();
            if (due && *due <= now_) give_slots();
        });
}

// A request waits for slots in use, for guards, or for its slot to be prefilled.
void simulation::check_nobody_waits_in_vain() {
    bool has_free_slot = false;
    for (int slot = 0; slot < scheduler_.slots(); ++slot) {
        const auto released = uses_[static_cast<std::size_t>(slot)].released;
        const bool is_guarded = released && now_ - *released < guard_;
        if (!scheduler_.busy(slot) && !is_guarded) has_free_slot = true;
    }
    for (const auto& [ticket, waiting] : waiting_) {
        const auto why = scheduler_.why_waiting(ticket, now_);
        const bool is_live = live_.contains(ticket);
        check(!is_live || !has_free_slot || (why && why->prefilled_slot),
              "no request waits beside a free slot");
    }
}

void simulation::slot_taken(int slot) {
    auto& use = uses_.at(static_cast<std::size_t>(slot));
    check(!use.busy, "one request a slot");
    check(!use.released || now_ - *use.released >= guard_, "no slot is used within its guard");
    use.busy = true;
}

void simulation::slot_released(int slot, slots::release_note note) {
    auto& use = uses_.at(static_cast<std::size_t>(slot));
    check(use.busy, "only a slot in use is released");
    use.busy = false;
    if (note.is_use) use.released = now_;
    scheduler_.release(slot, now_, std::move(note));
    give_slots();
}

void simulation::check(bool holds, const char* what) {
    if (!holds) broken_.emplace_back(what);
}

void simulation::check_nothing_left() {
    for (const auto& use : uses_) check(!use.busy, "no slot is left in use");
    check(waiting_.empty(), "no wish for a slot is left");
    check(!scheduler_.next_grant().has_value(), "the scheduler's queue is empty");
    for (const auto& r : replies_) r->check_end();
}

}  // namespace tandem::test
