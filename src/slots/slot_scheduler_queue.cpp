#include "slots/slot_scheduler.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

// Who is served next, on which slot, and who waits for what.
namespace tandem::slots {
namespace {

// Nobody is silent that long and then continues.
constexpr duration longest_absence = std::chrono::minutes(5);

bool is_live(const wish& w) noexcept {
    return w.priority != priority::warming;
}

// Conversations often begin alike. Whole blocks are compared many times faster than bytes.
std::size_t common_prefix(std::string_view a, std::string_view b) {
    constexpr std::size_t block = 256;
    std::size_t same = 0;
    while (same + block < std::min(a.size(), b.size()) &&
           a.substr(same, block) == b.substr(same, block))
        same += block;
    const auto end = std::mismatch(a.begin() + same, a.end(), b.begin() + same, b.end());
    return static_cast<std::size_t>(end.first - a.begin());
}

}  // namespace

/// What a ticket may get of the slots that those before it leave.
struct slot_scheduler::prospects {
    /// In the order in which their guards end.
    std::vector<int> open{};
    /// Its slot is being prefilled: it waits for that, whatever it takes in the end.
    bool awaits_prefilling = false;
    /// It prefills, and live tickets wait that could have these slots.
    bool is_held_back = false;
    /// Its owner has all the slots that it may have for itself.
    bool has_all = false;
};

/// Goes through the queue, and keeps which idle slots are left for the next ticket.
class slot_scheduler::queue_walk {
 public:
    explicit queue_walk(const slot_scheduler& s);

    bool is_over() const noexcept { return idle_.empty(); }
    /// Idle slots that no ticket before was promised, in the order in which their guards end.
    const std::vector<int>& idle() const noexcept { return idle_; }
    prospects look(const wish& w) const;
    /// The ticket has got the slot.
    void granted(int slot);
    /// The ticket continues waiting.
    void waits(const wish& w, const prospects& p);

 private:
    void arrange();
    bool has_any_for(const wish& w) const;
    void find_open(const wish& w, bool stuck, prospects& p) const;
    void leave_wanted(prospects& p) const;
    void promise(int slot);

    const slot_scheduler& s_;
    std::vector<int> idle_;
    std::map<owner_id, int> idle_of_;  // how many of them are leased to whom
    std::vector<bool> is_wanted_;      // by slot: a live ticket which waits could have it
};

slot_scheduler::queue_walk::queue_walk(const slot_scheduler& s)
    : s_(s), is_wanted_(s.slots_.size()) {
    for (int slot = 0; slot < s.usable_; ++slot)
        if (!s.at(slot).busy) idle_.push_back(slot);
    arrange();
}

// Those whose guards end together are in turn.
void slot_scheduler::queue_walk::arrange() {
    const auto place = [this](int slot) {
        return std::pair(s_.ready_at(slot), (slot - s_.next_in_turn_ + s_.usable_) % s_.usable_);
    };
    std::sort(idle_.begin(), idle_.end(), [&](int a, int b) { return place(a) < place(b); });
    idle_of_.clear();
    for (const int slot : idle_) ++idle_of_[s_.leased_to(slot)];
}

// Most tickets that wait for others to let go need no closer look.
bool slot_scheduler::queue_walk::has_any_for(const wish& w) const {
    return s_.sharing_ || idle_of_.contains(nobody) || idle_of_.contains(w.owner);
}

slot_scheduler::prospects slot_scheduler::queue_walk::look(const wish& w) const {
    if (!has_any_for(w)) return {};
    prospects p{.awaits_prefilling = s_.is_prefilled_for(w), .has_all = s_.has_all(w)};
    find_open(w, false, p);
    // With each slot stuck that it may have, a live ticket gets one all the same: the server holds
    // its request back, and its clock ends it if need be.
    if (p.open.empty() && is_live(w) && s_.has_only_stuck(w, p.has_all)) find_open(w, true, p);
    if (!is_live(w)) leave_wanted(p);
    if (!s_.sharing_) return p;
    // Of what is ready at the same time, what nobody else has goes first.
    const auto place = [&](int slot) {
        return std::pair(s_.ready_at(slot), s_.is_anothers(slot, w));
    };
    std::stable_sort(p.open.begin(), p.open.end(),
                     [&](int a, int b) { return place(a) < place(b); });
    return p;
}

// While a slot is being prefilled for the ticket, one that holds less is none for it: it would
// evaluate what the other has almost done.
void slot_scheduler::queue_walk::find_open(const wish& w, bool stuck, prospects& p) const {
    for (const int slot : idle_) {
        if (s_.is_stuck(slot) != stuck || !s_.is_for(slot, w, p.has_all)) continue;
        if (!is_live(w) && !s_.may_prefill(slot, w)) continue;
        if (!p.awaits_prefilling || s_.at(slot).holds.starts_with(w.prompt)) p.open.push_back(slot);
    }
}

void slot_scheduler::queue_walk::leave_wanted(prospects& p) const {
    std::vector<int> left;
    std::copy_if(p.open.begin(), p.open.end(), std::back_inserter(left),
                 [this](int slot) { return !is_wanted_[static_cast<std::size_t>(slot)]; });
    p.is_held_back = left.empty();
    if (!p.is_held_back) p.open = std::move(left);
}

void slot_scheduler::queue_walk::granted(int slot) {
    std::erase(idle_, slot);
    // Another one may be next in turn.
    arrange();
}

void slot_scheduler::queue_walk::waits(const wish& w, const prospects& p) {
    if (!p.open.empty() && !p.awaits_prefilling) promise(p.open.front());
    if (!is_live(w) || !has_any_for(w)) return;
    for (const int slot : idle_)
        if (s_.is_for(slot, w, p.has_all)) is_wanted_[static_cast<std::size_t>(slot)] = true;
}

void slot_scheduler::queue_walk::promise(int slot) {
    std::erase(idle_, slot);
    const auto left = idle_of_.find(s_.leased_to(slot));
    if (--left->second == 0) idle_of_.erase(left);
}

std::vector<grant> slot_scheduler::grants(time_point now) {
    std::vector<grant> given;
    while (!serve_queue(now, given)) continue;
    note_guards(now);
    return given;
}

// False: it must be gone through again, as a lease has ended, whose slot may be for a ticket that
// was passed by.
bool slot_scheduler::serve_queue(time_point now, std::vector<grant>& given) {
    queue_walk walk(*this);
    for (std::size_t place = 0; place < queue_.size() && !walk.is_over();) {
        const auto& w = queue_[place].wish;
        const auto seen = walk.look(w);
        if (const auto best = choose(seen, w, now)) {
            const bool has_fewer = lease(*best, w, walk.idle(), now);
            given.push_back(give(*best, place, now));
            if (has_fewer) return false;
            walk.granted(*best);
        } else {
            walk.waits(w, seen);
            ++place;
        }
    }
    return true;
}

// By place in the queue.
std::vector<slot_scheduler::outlook> slot_scheduler::outlooks() const {
    std::vector<outlook> all(queue_.size());
    queue_walk walk(*this);
    for (std::size_t place = 0; place < queue_.size() && !walk.is_over(); ++place) {
        const auto& w = queue_[place].wish;
        const auto seen = walk.look(w);
        if (!seen.open.empty()) {
            if (!seen.awaits_prefilling) all[place].promised = seen.open.front();
            if (!seen.is_held_back) all[place].due = ready_at(seen.open.front());
        }
        walk.waits(w, seen);
    }
    return all;
}

std::vector<due_grant> slot_scheduler::due_grants() const {
    std::vector<due_grant> dues;
    const auto all = outlooks();
    for (std::size_t place = 0; place < all.size(); ++place)
        if (const auto at = all[place].due) dues.push_back({*at, queue_[place].ticket});
    return dues;
}

std::optional<time_point> slot_scheduler::next_grant() const {
    std::optional<time_point> next;
    for (const auto& due : due_grants()) next = std::min(next.value_or(due.at), due.at);
    return next;
}

auto slot_scheduler::find(ticket t) const -> std::deque<waiting>::const_iterator {
    return std::find_if(queue_.begin(), queue_.end(),
                        [t](const waiting& w) { return w.ticket == t; });
}

duration slot_scheduler::guard_wait(ticket t, time_point now) const {
    const auto found = find(t);
    if (found == queue_.end()) return {};
    return found->guarded + (found->guarded_since ? now - *found->guarded_since : duration{});
}

std::optional<wait> slot_scheduler::why_waiting(ticket t, time_point now) const {
    const auto found = find(t);
    if (found == queue_.end()) return std::nullopt;
    const auto before = static_cast<std::size_t>(found - queue_.begin());
    wait w{.before = static_cast<int>(before), .slots = usable_};
    count_slots(found->wish, w);
    if (const auto slot = outlooks()[before].promised) {
        w.guarded_slot = slot;
        // A slot that was never used is ready since the start of time: no difference can be taken.
        w.guard_left = std::max(ready_at(*slot), now) - now;
    } else if (is_prefilled_for(found->wish)) {
        w.prefilled_slot = found->wish.warmed;
    }
    return w;
}

void slot_scheduler::count_slots(const wish& asked, wait& w) const {
    const bool all = has_all(asked);
    if (all) w.own = held_by(asked.owner);
    for (int slot = 0; slot < usable_; ++slot) {
        if (is_stuck(slot)) ++w.stuck;
        if (!is_stuck(slot) && is_anothers(slot, asked) && !is_for(slot, asked, all)) ++w.leased;
    }
}

bool slot_scheduler::has_only_stuck(const wish& w, bool has_all) const {
    for (int slot = 0; slot < usable_; ++slot)
        if (is_for(slot, w, has_all) && !is_stuck(slot)) return false;
    return true;
}

bool slot_scheduler::may_prefill(int slot, const wish& w) const {
    const auto& s = at(slot);
    return s.side != server_side::unverified && (s.owner == nobody || s.owner == w.owner);
}

// In bytes of text: what the request evaluates, and what another owner loses, who may come back for
// it. So a dialogue that begins like another one leaves that its slot.
std::size_t slot_scheduler::cost(int slot, const wish& w, time_point now) const {
    const auto& s = at(slot);
    const auto common = common_prefix(w.prompt, s.holds);
    const bool is_anothers_text = s.last_user != nobody && s.last_user != w.owner;
    const bool may_be_wanted = !s.is_left && s.last_used && now - *s.last_used < longest_absence;
    const auto lost = is_anothers_text && may_be_wanted ? s.holds.size() - common : 0;
    return w.prompt.size() - common + lost;
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
std::optional<int> slot_scheduler::choose(const prospects& p, const wish& w, time_point now) const {
    const auto end =
        std::find_if(p.open.begin(), p.open.end(), [&](int slot) { return ready_at(slot) > now; });
    if (p.is_held_back || end == p.open.begin()) return std::nullopt;
    // Texts are long: they are compared only where there is a choice.
    if (end - p.open.begin() == 1) return p.open.front();
    using rank = std::tuple<bool, bool, bool, bool, std::size_t, bool>;
    std::optional<std::pair<rank, int>> best;
    for (auto slot = p.open.begin(); slot != end; ++slot) {
        const rank r(is_anothers(*slot, w), *slot == w.avoid,
                     at(*slot).side == server_side::maybe_busy, !is_warm(*slot, w),
                     cost(*slot, w, now), *slot != last_used_slot_);
        // The first of the best: the one whose guard ended first.
        if (!best || r < best->first) best = {r, *slot};
    }
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
    const auto all = outlooks();
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        auto& w = queue_[i];
        const bool is_guarded = all[i].promised.has_value();
        if (is_guarded && !w.guarded_since) w.guarded_since = now;
        if (!is_guarded && w.guarded_since) w.guarded += now - *std::exchange(w.guarded_since, {});
    }
}

}  // namespace tandem::slots
