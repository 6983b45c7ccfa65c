#include "slots/slot_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

// Selects the next ticket and its slot, and determines what the other tickets wait for.
namespace tandem::slots {
namespace {

// A conversation that has not used its slot for this long is not expected to continue.
constexpr duration max_absence = std::chrono::minutes(5);

// Loading a text from host memory takes as long as evaluating about this many bytes.
constexpr std::size_t cost_of_restoring = 256;

// A continuation that is due within this time, which is less than a sentence, is urgent: it may get
// a slot that is kept for turns, and other requests end early for it.
constexpr duration urgent_within = std::chrono::seconds(2);
// A reply's request ends early only for a ticket that is due this much sooner than the reply's next
// request: about one sentence sooner if the ticket is a turn, whose listener waits in silence, and
// two sentences sooner if it is a continuation. With smaller gains, slots would change
// conversations more often. Each such change delays all requests of the server.
constexpr duration gain_of_a_turn = std::chrono::seconds(3);
constexpr duration gain_of_a_continuation = std::chrono::seconds(6);
// One in this many slots is kept idle for the next turn while no continuation is urgent.
constexpr int slots_for_each_kept_one = 4;

// Conversations often have a long common beginning, so whole blocks are compared first. That is
// many times faster than comparing bytes.
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

/// The slots that remain for a ticket after the tickets ahead of it are served.
struct slot_scheduler::prospects {
    /// In the order in which their guards end.
    std::vector<int> open{};
    /// A slot is being prefilled for the ticket, which waits for the prefill to end.
    bool awaits_prefilling = false;
    /// The ticket is a prefill and gets none of these slots, because waiting live tickets could use
    /// them.
    bool is_held_back = false;
    /// The ticket is a continuation, and the slots are kept for turns. It gets one of them only if
    /// it is urgent.
    bool are_kept_for_turns = false;
};

/// Walks through the queue and tracks which idle slots remain for the next ticket.
class slot_scheduler::queue_simulation {
 public:
    explicit queue_simulation(const slot_scheduler& s);

    /// Whether no idle slot remains.
    bool is_over() const noexcept { return idle_.empty(); }
    /// Whether the request may run if it gets a slot. A request of another process does not count
    /// against this process's limit.
    bool may_start(const slot_request& w) const noexcept {
        return may_start_ > 0 || w.is_from_elsewhere;
    }
    prospects look(const slot_request& w) const;
    /// The ticket was granted the slot.
    void assign_slot(int slot, bool runs_here);
    /// The ticket keeps waiting.
    void add_waiting(const slot_request& w, const prospects& p);

 private:
    void arrange();
    auto count_usable() const {
        return std::count_if(idle_.begin(), idle_.end(), [&](int s) { return !s_.is_stuck(s); });
    }
    void find_open(const slot_request& w, bool stuck, prospects& p) const;
    void leave_wanted(prospects& p) const;
    void take(int slot, bool runs_here);

    const slot_scheduler& s_;
    std::vector<int> idle_;
    int may_start_;                // number of further requests that may run
    std::vector<bool> is_wanted_;  // for each slot, whether a waiting live ticket could use it
};

slot_scheduler::queue_simulation::queue_simulation(const slot_scheduler& s)
    : s_(s), may_start_(s.max_running_ - s.count_running()), is_wanted_(s.slots_.size()) {
    for (int slot = 0; slot < s.usable_; ++slot)
        if (s.is_idle_here(slot)) idle_.push_back(slot);
    arrange();
}

// Sorts the idle slots by the ends of their guards; slots whose guards end at the same time take
// turns.
void slot_scheduler::queue_simulation::arrange() {
    const auto place = [this](int slot) {
        return std::pair(s_.ready_at(slot), (slot - s_.next_in_turn_ + s_.usable_) % s_.usable_);
    };
    std::sort(idle_.begin(), idle_.end(), [&](int a, int b) { return place(a) < place(b); });
}

slot_scheduler::prospects slot_scheduler::queue_simulation::look(const slot_request& w) const {
    prospects p{.awaits_prefilling = s_.is_being_prefilled_for(w)};
    if (!may_start(w)) return p;
    const auto kept = s_.count_slots_here() / slots_for_each_kept_one;
    p.are_kept_for_turns = kept > 0 && w.kind == request_kind::continuation &&
                           !p.awaits_prefilling && count_usable() <= kept;
    find_open(w, false, p);
    // If every slot that a live ticket may get is stuck, the ticket gets a stuck one: the server
    // delays the request, and the request's own timeout ends it if necessary.
    if (p.open.empty() && is_for_listener(w) && s_.has_only_stuck(w)) find_open(w, true, p);
    if (!is_for_listener(w)) leave_wanted(p);
    return p;
}

// While a slot is being prefilled for the ticket, a slot that holds less of the prompt is no
// alternative: the server would repeat work there that the prefill has almost finished.
void slot_scheduler::queue_simulation::find_open(const slot_request& w, bool stuck,
                                                 prospects& p) const {
    for (const int slot : idle_) {
        if (s_.is_stuck(slot) != stuck || !may_be_granted(slot, w)) continue;
        if (!is_for_listener(w) && !s_.may_prefill(slot, w)) continue;
        if (!p.awaits_prefilling || s_.at(slot).holds.starts_with(w.prompt)) p.open.push_back(slot);
    }
}

void slot_scheduler::queue_simulation::leave_wanted(prospects& p) const {
    std::vector<int> left;
    std::copy_if(p.open.begin(), p.open.end(), std::back_inserter(left),
                 [this](int slot) { return !is_wanted_[static_cast<std::size_t>(slot)]; });
    p.is_held_back = left.empty();
    if (!p.is_held_back) p.open = std::move(left);
}

void slot_scheduler::queue_simulation::assign_slot(int slot, bool runs_here) {
    take(slot, runs_here);
    // The grant may have changed which slot is the next in turn.
    arrange();
}

void slot_scheduler::queue_simulation::add_waiting(const slot_request& w, const prospects& p) {
    if (!p.open.empty() && !p.awaits_prefilling) take(p.open.front(), !w.is_from_elsewhere);
    if (!is_for_listener(w)) return;
    for (const int slot : idle_)
        if (may_be_granted(slot, w)) is_wanted_[static_cast<std::size_t>(slot)] = true;
}

void slot_scheduler::queue_simulation::take(int slot, bool runs_here) {
    std::erase(idle_, slot);
    may_start_ -= runs_here ? 1 : 0;
}

bool slot_scheduler::has_slot_to_spare() const {
    int idle = 0;
    for (int slot = 0; slot < usable_; ++slot) idle += at(slot).busy || is_stuck(slot) ? 0 : 1;
    // Slots that are away count as idle above, but other processes run requests on some of them.
    idle -= static_cast<int>(std::lround(other_usage_.running));
    return count_waiting_requests() == 0 && count_running() < max_running_ &&
           idle > usable_ / slots_for_each_kept_one;
}

std::vector<grant> slot_scheduler::take_grants(time_point now) {
    std::vector<grant> given;
    if (now >= lease_until_) return given;
    max_running_ = find_own_limit(now);
    queue_simulation walk(*this);
    for (std::size_t place = 0; place < queue_.size() && !walk.is_over();) {
        const auto& w = queue_[place].wish;
        const auto seen = walk.look(w);
        if (const auto best = choose_slot(seen, w, now)) {
            const bool runs_here = !w.is_from_elsewhere;
            given.push_back(grant_slot(*best, place, now));
            walk.assign_slot(*best, runs_here);
        } else {
            walk.add_waiting(w, seen);
            ++place;
        }
    }
    update_waits(now);
    return given;
}

// The predictions are in the order of the queue.
std::vector<slot_scheduler::wait_prediction> slot_scheduler::predict_waits() const {
    std::vector<wait_prediction> all(queue_.size());
    queue_simulation walk(*this);
    for (std::size_t place = 0; place < queue_.size() && !walk.is_over(); ++place) {
        const auto& w = queue_[place].wish;
        const auto seen = walk.look(w);
        if (!seen.open.empty()) {
            const bool waits_only_for_guard = !seen.awaits_prefilling && !seen.are_kept_for_turns;
            if (waits_only_for_guard) all[place].promised = seen.open.front();
            if (!seen.is_held_back) all[place].due = ready_at(seen.open.front());
            if (seen.are_kept_for_turns)
                all[place].due = std::max(*all[place].due, w.due - urgent_within);
        }
        walk.add_waiting(w, seen);
    }
    return all;
}

// A ticket that waits for a guard also counts as short of a slot, because another process may have
// a slot that is ready.
std::optional<slot_shortage> slot_scheduler::find_shortage(time_point now) const {
    queue_simulation walk(*this);
    for (const auto& queued : queue_) {
        const auto& w = queued.wish;
        if (!is_for_listener(w) || !walk.may_start(w)) continue;
        const auto seen = walk.look(w);
        const bool has_one = !seen.open.empty() && ready_at(seen.open.front()) <= now;
        if (!has_one && !seen.awaits_prefilling && !w.is_from_elsewhere)
            return slot_shortage{w.kind, w.due};
        walk.add_waiting(w, seen);
    }
    return std::nullopt;
}

std::vector<due_grant> slot_scheduler::due_grants() const {
    std::vector<due_grant> dues;
    const auto all = predict_waits();
    for (std::size_t place = 0; place < all.size(); ++place)
        if (const auto at = all[place].due) dues.push_back({*at, queue_[place].ticket});
    return dues;
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

std::optional<wait_reason> slot_scheduler::find_wait_reason(ticket t, time_point now) const {
    const auto found = find(t);
    if (found == queue_.end()) return std::nullopt;
    const auto before = static_cast<std::size_t>(found - queue_.begin());
    wait_reason w{.before = static_cast<int>(before), .slots = usable_};
    count_slots(w);
    const auto predicted = predict_waits()[before];
    if (const auto slot = predicted.promised) {
        w.guarded_slot = slot;
        // An unused slot has been ready since the earliest time_point; subtracting that would
        // overflow.
        w.guard_left = std::max(ready_at(*slot), now) - now;
    } else if (is_being_prefilled_for(found->wish)) {
        w.prefilled_slot = found->wish.warmed;
    } else {
        w.is_slot_kept = predicted.due.has_value();
    }
    return w;
}

void slot_scheduler::count_slots(wait_reason& w) const {
    int idle = 0;
    int away = 0;
    for (int slot = 0; slot < usable_; ++slot) {
        w.stuck += is_stuck(slot) ? 1 : 0;
        if (is_stuck(slot) || at(slot).busy) continue;
        ++(at(slot).is_away ? away : idle);
    }
    w.unchecked = std::min(unchecked_, away);
    w.lent = away - w.unchecked;
    if (idle > 0 && count_running() >= max_running_) w.max_running = max_running_;
}

bool slot_scheduler::has_only_stuck(const slot_request& w) const {
    for (int slot = 0; slot < usable_; ++slot)
        if (may_be_granted(slot, w) && !is_stuck(slot)) return false;
    return true;
}

// `slot` is not needed for a ticket with a predicted grant, which gets another slot soon.
bool slot_scheduler::should_yield_slot(int slot, time_point due, time_point now) const {
    const auto all = predict_waits();
    for (std::size_t place = 0; place < queue_.size(); ++place) {
        const auto& w = queue_[place].wish;
        const auto gain = w.kind == request_kind::turn ? gain_of_a_turn : gain_of_a_continuation;
        if (!is_for_listener(w) || w.due > now + urgent_within + reuse_guard_) return false;
        const bool is_worth_it = std::max(w.due, now) < due - reuse_guard_ - gain;
        if (is_worth_it && !all[place].due && may_be_granted(slot, w)) return true;
    }
    return false;
}

bool slot_scheduler::may_prefill(int slot, const slot_request& w) const {
    const auto& s = at(slot);
    return s.server_state != server_slot_state::unverified &&
           (s.owner == nobody || s.owner == w.owner);
}

// Bytes that the request must evaluate, plus bytes that another owner loses and may need again.
// Without the second part, a dialogue would take the slot of another dialogue that begins in the
// same way. The server restores text from its host memory only if the slot holds another text and
// would keep less than half of that text; it never restores into an empty slot (#28139).
std::size_t slot_scheduler::reuse_cost(int slot, const slot_request& w, time_point now) const {
    const auto& s = at(slot);
    const auto common = common_prefix(w.prompt, s.holds);
    const bool is_anothers_text = s.last_user != nobody && s.last_user != w.owner;
    const bool may_be_wanted = !s.is_left && s.filled && now - *s.filled < max_absence;
    auto lost = is_anothers_text && may_be_wanted ? s.holds.size() - common : 0;
    if (restores_texts() && is_anothers_text) lost = std::min(lost, cost_of_restoring);
    const bool is_restored = restores_texts() && is_anothers_text && w.was_here &&
                             common < s.holds.size() / 2 && !is_resident(w.owner);
    return is_restored ? lost : w.prompt.size() - common + lost;
}

bool slot_scheduler::is_resident(owner_id owner) const {
    return std::any_of(slots_.begin(), slots_.begin() + usable_,
                       [owner](const slot_state& s) { return s.last_user == owner && !s.is_away; });
}

// Later is better. A text that belongs to nobody, or to an owner that is not expected back, is
// never needed again.
time_point slot_scheduler::cached_text_needed_at(int slot, const slot_request& w) const {
    const auto& s = at(slot);
    const bool is_anothers_text = s.last_user != nobody && s.last_user != w.owner && !s.is_left;
    return is_anothers_text ? s.needed_at : never;
}

// Since the prefill began, the server may have lost the slot, and another reply may have taken it.
bool slot_scheduler::is_being_prefilled_for(const slot_request& w) const {
    return w.warmed && *w.warmed < usable_ && at(*w.warmed).is_being_prefilled &&
           at(*w.warmed).owner == w.owner;
}

// Compares the text, because another conversation may have used the slot since the prefill.
bool slot_scheduler::is_warm(int slot, const slot_request& w) const {
    return slot == w.warmed && !at(slot).holds.empty() && w.prompt.starts_with(at(slot).holds);
}

// Returns nullopt if the ticket may not have any of the slots yet.
std::optional<int> slot_scheduler::choose_slot(const prospects& p, const slot_request& w,
                                               time_point now) const {
    const auto end =
        std::find_if(p.open.begin(), p.open.end(), [&](int slot) { return ready_at(slot) > now; });
    if (p.is_held_back || end == p.open.begin()) return std::nullopt;
    if (p.are_kept_for_turns && w.due > now + urgent_within) return std::nullopt;
    // Texts are long, so they are compared only if there is a choice.
    if (end - p.open.begin() == 1) return p.open.front();
    using rank = std::tuple<bool, bool, bool, std::size_t, duration, bool>;
    std::optional<std::pair<rank, int>> best;
    for (auto slot = p.open.begin(); slot != end; ++slot) {
        const rank r(*slot == w.avoid, at(*slot).server_state == server_slot_state::maybe_busy,
                     !is_warm(*slot, w), reuse_cost(*slot, w, now),
                     never - cached_text_needed_at(*slot, w), *slot != last_used_slot_);
        // Takes the first of equals, whose guard ended first.
        if (!best || r < best->first) best = {r, *slot};
    }
    return best->second;
}

grant slot_scheduler::grant_slot(int slot, std::size_t place, time_point now) {
    const auto w = std::move(queue_[place]);
    queue_.erase(queue_.begin() + static_cast<std::ptrdiff_t>(place));
    const auto guarded = w.guarded_since ? now - *w.guarded_since : duration{};
    const auto since = w.waits_since.value_or(now);
    if (has_own_lead(w)) lead_loss_.record_wait(w.wish.due - since, now - since, now);
    const bool reused = slot == last_used_slot_;
    // A prefill starts no guard, so the turn does not move on to the next slot.
    if (!reused && is_for_listener(w.wish)) next_in_turn_ = (slot + 1) % usable_;
    count_running_time(now);
    auto& s = at(slot);
    s.busy = true;
    s.is_being_prefilled = !is_for_listener(w.wish);
    begin_speed_window(s, {}, now);
    s.shows_restoring =
        w.wish.was_here && s.last_user != nobody && !s.holds.empty() && !is_resident(w.wish.owner);
    s.owner = s.user = w.wish.owner;
    const auto previous = s.last_user == s.user ? nobody : s.last_user;
    return {w.ticket, slot, reused, w.guarded + guarded, previous};
}

// Measures how long each ticket waits for a guard: the time in which a slot is promised to it. In
// the remaining time, it waits for other replies or for its prefill.
void slot_scheduler::update_waits(time_point now) {
    const auto all = predict_waits();
    for (std::size_t i = 0; i < queue_.size(); ++i) {
        auto& w = queue_[i];
        if (!w.waits_since) w.waits_since = now;
        const bool is_guarded = all[i].promised.has_value();
        if (is_guarded && !w.guarded_since) w.guarded_since = now;
        if (!is_guarded && w.guarded_since) w.guarded += now - *std::exchange(w.guarded_since, {});
    }
}

}  // namespace tandem::slots
