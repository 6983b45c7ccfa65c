#include "slots/slot_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace tandem::slots {
namespace {

std::size_t common_prefix(std::string_view a, std::string_view b) {
    const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    return static_cast<std::size_t>(end.first - a.begin());
}

// What is over the bound goes for good, memory and all.
std::string bounded(std::string text) {
    return text.size() <= most_compared_bytes ? std::move(text)
                                              : text.substr(0, most_compared_bytes);
}

bool is_live(const wish& w) noexcept {
    return w.priority != priority::warming;
}

}  // namespace

std::string in_words(const wait& w) {
    if (w.guarded_slot)
        return fmt::format("waits {:.0f} ms for the reuse guard of slot {}", to_ms(w.guard_left),
                           *w.guarded_slot);
    if (w.prefilled_slot)
        return fmt::format("waits for slot {}, which is being prefilled", *w.prefilled_slot);
    const auto stuck =
        w.stuck > 0 ? fmt::format("{} stuck at the server, ", w.stuck) : std::string();
    return fmt::format("waits for a slot: {} in use or promised, {}{} waiting before it",
                       w.slots - w.stuck, stuck, w.before);
}

slot_scheduler::slot_scheduler(int slots, duration reuse_guard)
    : reuse_guard_(reuse_guard), slots_(static_cast<std::size_t>(slots)), usable_(slots) {}

ticket slot_scheduler::request(wish w) {
    const auto place =
        std::upper_bound(queue_.begin(), queue_.end(), w.priority,
                         [](priority p, const waiting& other) { return p < other.wish.priority; });
    // Turns are first in the queue.
    const auto before = static_cast<std::size_t>(place - queue_.begin());
    if (w.priority == priority::turn && before >= queue_limit_) return no_ticket;
    w.prompt = bounded(std::move(w.prompt));
    queue_.insert(place, {++last_ticket_, std::move(w)});
    return last_ticket_;
}

auto slot_scheduler::find(ticket t) const -> std::deque<waiting>::const_iterator {
    return std::find_if(queue_.begin(), queue_.end(),
                        [t](const waiting& w) { return w.ticket == t; });
}

void slot_scheduler::withdraw(ticket t) {
    if (const auto found = find(t); found != queue_.end()) queue_.erase(found);
}

duration slot_scheduler::guard_wait(ticket t, time_point now) const {
    const auto found = find(t);
    if (found == queue_.end()) return {};
    return found->guarded + (found->guarded_since ? now - *found->guarded_since : duration{});
}

void slot_scheduler::release(int slot, time_point now, release_note note) {
    auto& s = at(slot);
    s.busy = s.is_prefilled_now = false;
    if (!note.has_run) return;
    s.side = note.side;
    s.holds = bounded(std::move(note.holds));
    s.last_user = s.user;
    if (!note.is_use) return;
    s.last_used = now;
    last_used_slot_ = slot;
}

void slot_scheduler::let_go(owner_id owner) noexcept {
    for (auto& s : slots_)
        if (s.owner == owner) s.owner = nobody;
}

void slot_scheduler::forget_contents(int slot) {
    at(slot).holds.clear();
    at(slot).last_user = nobody;
}

std::vector<int> slot_scheduler::slots_used_by(owner_id owner) const {
    std::vector<int> used;
    for (int slot = 0; slot < usable_ && owner != nobody; ++slot)
        if ((at(slot).busy ? at(slot).user : at(slot).last_user) == owner) used.push_back(slot);
    return used;
}

void slot_scheduler::set_side(int slot, server_side side) {
    at(slot).side = side;
}

void slot_scheduler::stop_verifying() noexcept {
    for (auto& s : slots_)
        if (s.side == server_side::unverified) s.side = server_side::idle;
}

bool slot_scheduler::is_idle() const {
    return queue_.empty() &&
           std::none_of(slots_.begin(), slots_.end(), [](const slot_state& s) { return s.busy; });
}

void slot_scheduler::limit_to(int slots) {
    usable_ = std::clamp(slots, 1, static_cast<int>(slots_.size()));
    next_in_turn_ %= usable_;
}

std::vector<grant> slot_scheduler::grants(time_point now) {
    std::vector<grant> given;
    while (auto next = next_given(now)) given.push_back(*next);
    note_guards(now);
    return given;
}

std::optional<grant> slot_scheduler::next_given(time_point now) {
    for (const auto place : places_served())
        if (const auto best = choose(queue_[place].wish, now)) return give(*best, place, now);
    return std::nullopt;
}

std::optional<time_point> slot_scheduler::next_grant() const {
    std::optional<time_point> next;
    for (const auto place : places_served()) {
        const auto ready = ready_at(open_slots(queue_[place].wish).front());
        next = std::min(next.value_or(ready), ready);
    }
    return next;
}

// The first ticket that a slot is open for; and those before it that wait for their own slot to be
// prefilled, which must hold nobody up.
std::vector<std::size_t> slot_scheduler::places_served() const {
    std::vector<std::size_t> places;
    bool live_waits = false;
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        const auto& w = queue_[i].wish;
        if (!is_live(w) && live_waits) break;
        live_waits = live_waits || is_live(w);
        if (open_slots(w).empty()) continue;
        places.push_back(i);
        if (!is_prefilled_for(w)) break;
    }
    return places;
}

// Each ticket may get the slots that are open for it, but for those that tickets before it get. One
// whose own slot is being prefilled waits for that, whatever it takes in the end.
std::vector<std::optional<int>> slot_scheduler::promised_slots() const {
    std::vector<std::optional<int>> promised;
    std::size_t taken = 0;
    for (const auto& w : queue_) {
        const auto open = open_slots(w.wish);
        const bool is_promised = taken < open.size() && !is_prefilled_for(w.wish);
        promised.push_back(is_promised ? std::optional(open[taken]) : std::nullopt);
        if (is_promised) ++taken;
    }
    return promised;
}

std::optional<wait> slot_scheduler::why_waiting(ticket t, time_point now) const {
    const auto found = find(t);
    if (found == queue_.end()) return std::nullopt;
    const auto before = static_cast<std::size_t>(found - queue_.begin());
    wait w{.before = static_cast<int>(before), .slots = usable_, .stuck = stuck_slots()};
    if (const auto slot = promised_slots()[before]) {
        w.guarded_slot = slot;
        // A slot that was never used is ready since the start of time: no difference can be taken.
        w.guard_left = std::max(ready_at(*slot), now) - now;
    } else if (is_prefilled_for(found->wish)) {
        w.prefilled_slot = found->wish.warmed;
    }
    return w;
}

time_point slot_scheduler::ready_at(int slot) const {
    const auto& s = at(slot);
    return s.last_used ? *s.last_used + reuse_guard_ : time_point::min();
}

int slot_scheduler::stuck_slots() const {
    int stuck = 0;
    for (int slot = 0; slot < usable_; ++slot) stuck += is_stuck(slot) ? 1 : 0;
    return stuck;
}

// The idle slots that a ticket may get, in the order in which their guards end; those that end
// together, in turn. With each slot stuck a live ticket gets one all the same: the server holds its
// request back, and its clock ends it if need be. While a slot is being prefilled for the ticket,
// one that holds less is none for it: it would evaluate what the other has almost done.
std::vector<int> slot_scheduler::open_slots(const wish& w) const {
    const bool take_stuck = is_live(w) && stuck_slots() == usable_;
    const bool wants_all = is_prefilled_for(w);
    std::vector<int> open;
    for (int i = 0; i < usable_; ++i) {
        const int slot = (next_in_turn_ + i) % usable_;
        if (at(slot).busy || (is_stuck(slot) && !take_stuck)) continue;
        if (!is_live(w) && !may_prefill(slot, w)) continue;
        if (!wants_all || missing(slot, w) == 0) open.push_back(slot);
    }
    std::stable_sort(open.begin(), open.end(),
                     [this](int a, int b) { return ready_at(a) < ready_at(b); });
    return open;
}

bool slot_scheduler::may_prefill(int slot, const wish& w) const {
    const auto& s = at(slot);
    return s.side != server_side::unverified && (s.owner == nobody || s.owner == w.owner);
}

std::size_t slot_scheduler::missing(int slot, const wish& w) const {
    return w.prompt.size() - common_prefix(w.prompt, at(slot).holds);
}

// A server may have fewer slots by now, and another reply may have taken the slot.
bool slot_scheduler::is_prefilled_for(const wish& w) const {
    return w.warmed && *w.warmed < usable_ && at(*w.warmed).is_prefilled_now &&
           at(*w.warmed).owner == w.owner;
}

// Another conversation may have taken the slot since it was prefilled.
bool slot_scheduler::is_warm(int slot, const wish& w) const {
    return slot == w.warmed && !at(slot).holds.empty() && w.prompt.starts_with(at(slot).holds);
}

// Nothing if each slot that is open has to wait for its guard.
std::optional<int> slot_scheduler::choose(const wish& w, time_point now) const {
    using rank = std::tuple<bool, bool, std::size_t, bool>;
    std::optional<std::pair<rank, int>> best;
    for (const int slot : open_slots(w)) {
        if (ready_at(slot) > now) break;
        const rank r(at(slot).side == server_side::maybe_busy, !is_warm(slot, w), missing(slot, w),
                     slot != last_used_slot_);
        // The first of the best: the one whose guard ended first.
        if (!best || r < best->first) best = {r, slot};
    }
    if (!best) return std::nullopt;
    return best->second;
}

grant slot_scheduler::give(int slot, std::size_t place, time_point now) {
    const auto w = std::move(queue_[place]);
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(place));
    const auto guarded = w.guarded_since ? now - *w.guarded_since : duration{};
    const bool reused = slot == last_used_slot_;
    // Prefilling is no turn: the slot is still the next one.
    if (!reused && is_live(w.wish)) next_in_turn_ = (slot + 1) % usable_;
    auto& s = at(slot);
    s.busy = true;
    s.is_prefilled_now = !is_live(w.wish);
    s.owner = s.user = w.wish.owner;
    const auto previous = s.last_user == s.user ? nobody : s.last_user;
    return {w.ticket, slot, reused, w.guarded + guarded, previous};
}

// A ticket waits for a guard while there is an idle slot for it besides those that the tickets
// before it will take; else it waits for other replies, or to be prefilled.
void slot_scheduler::note_guards(time_point now) {
    const auto promised = promised_slots();
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        auto& w = queue_[i];
        if (promised[i] && !w.guarded_since) w.guarded_since = now;
        if (!promised[i] && w.guarded_since) w.guarded += now - *std::exchange(w.guarded_since, {});
    }
}

}  // namespace tandem::slots
