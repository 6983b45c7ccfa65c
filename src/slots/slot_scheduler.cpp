#include "slots/slot_scheduler.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

// Slots and tickets. slot_scheduler_choice.cpp selects the next ticket and its slot.
namespace tandem::slots {
namespace {

// Copies the prefix of a longer text instead of truncating the text, to free its memory.
std::string bounded(std::string text) {
    return text.size() <= max_compared_bytes ? std::move(text) : text.substr(0, max_compared_bytes);
}

}  // namespace

slot_scheduler::slot_scheduler(int slots, duration reuse_guard)
    : reuse_guard_(reuse_guard), slots_(static_cast<std::size_t>(slots)), usable_(slots) {}

std::size_t slot_scheduler::count_waiting_turns() const {
    return static_cast<std::size_t>(
        std::count_if(queue_.begin(), queue_.end(),
                      [](const waiting& w) { return w.wish.kind == request_kind::turn; }));
}

void slot_scheduler::insert(waiting w) {
    const auto order = [](const waiting& a, const waiting& b) {
        const auto place_of = [](const waiting& x) {
            return std::tuple(x.wish.kind == request_kind::background, x.wish.due, x.ticket);
        };
        return place_of(a) < place_of(b);
    };
    const auto place = std::upper_bound(queue_.begin(), queue_.end(), w, order);
    queue_.insert(place, std::move(w));
}

ticket slot_scheduler::request(slot_request w) {
    if (w.kind == request_kind::turn && count_waiting_turns() >= queue_limit_) return no_ticket;
    w.prompt = bounded(std::move(w.prompt));
    insert({++last_ticket_, std::move(w)});
    return last_ticket_;
}

void slot_scheduler::set_due(ticket t, time_point due) {
    const auto found = find(t);
    if (found == queue_.end() || found->wish.due == due) return;
    auto moved = *found;
    queue_.erase(found);
    moved.wish.due = due;
    insert(std::move(moved));
}

void slot_scheduler::withdraw(ticket t) {
    if (const auto found = find(t); found != queue_.end()) queue_.erase(found);
}

void slot_scheduler::release(int slot, time_point now, release_info note) {
    auto& s = at(slot);
    learn_speed(s, note.generated, now);
    learn_restoring(s, note);
    count_residence_change(s, note);
    s.busy = s.is_being_prefilled = false;
    if (!note.has_run) return;
    s.server_state = note.server_state;
    s.holds = bounded(std::move(note.holds));
    s.filled = now;
    s.last_user = s.user;
    s.needed_at = note.needed_at;
    s.is_left = false;
    if (!note.is_use) return;
    s.last_used = now;
    last_used_slot_ = slot;
}

void slot_scheduler::count_running_time(time_point now) {
    running_time_ += count_running() * (now - counted_until_);
    counted_until_ = now;
}

duration slot_scheduler::find_running_time(time_point now) {
    count_running_time(now);
    return running_time_;
}

void slot_scheduler::begin_speed_window(slot_state& s, const generated_so_far& g, time_point now) {
    count_running_time(now);
    s.learned = g;
    s.learned_at = now;
    s.running_time_before = running_time_;
}

// The time before the first token is excluded, because the server evaluates the prompt then and
// generates nothing for the request.
void slot_scheduler::learn_speed(slot_state& s, const generated_so_far& g, time_point now) {
    if (g.tokens == 0) return begin_speed_window(s, g, now);
    count_running_time(now);
    const auto since = now - s.learned_at;
    if (since <= duration{}) return;
    const double running_here = to_ms(running_time_ - s.running_time_before) / to_ms(since);
    const double running = running_here + other_usage_.running;
    if (limit_.record_speed(running, g - s.learned, now)) begin_speed_window(s, g, now);
}

// What other processes run is known only after a delay, so each process may always run its share of
// the limit.
int slot_scheduler::find_own_limit(time_point now) const {
    const int limit = limit_.find_limit(now);
    const int part = 1 + (limit - 1) / (1 + other_usage_.processes);
    const double used = std::clamp<double>(other_usage_.running, 0, limit);
    return std::max(limit - static_cast<int>(std::lround(used)), part);
}

// Some cached tokens prove nothing, because the slot's other text may begin with the same system
// prompt. The owner's text counts as restored only if more tokens were cached than evaluated.
void slot_scheduler::learn_restoring(const slot_state& s, const release_info& note) noexcept {
    constexpr int min_tokens = 64;
    constexpr int remembered = 3;
    if (!s.shows_restoring || note.cached + note.evaluated < min_tokens) return;
    const int step = note.evaluated < note.cached ? 1 : -1;
    restored_ = std::clamp(restored_ + step, -remembered, remembered);
}

void slot_scheduler::count_residence_change(const slot_state& s,
                                            const release_info& note) noexcept {
    if (!note.has_run || s.last_user == nobody || s.last_user == s.user) return;
    ++changes_.count;
    changes_.evaluated += note.evaluated;
}

duration slot_scheduler::find_lateness(time_point now) const {
    if (queue_.empty() || !is_for_listener(queue_.front().wish)) return {};
    return std::max(duration{}, now - queue_.front().wish.due);
}

// Another process records the lead of its requests itself, and one ticket here stands for many of
// its successive requests.
bool slot_scheduler::has_own_lead(const waiting& w) noexcept {
    return w.wish.kind == request_kind::continuation && !w.wish.is_from_elsewhere;
}

// If no continuation has got a slot recently, no loss is recorded. The loss of the first
// continuation in the queue is returned then.
double slot_scheduler::find_lead_loss(time_point now) const {
    if (const auto average = lead_loss_.find_average_loss(now)) return *average;
    for (const auto& w : queue_)
        if (has_own_lead(w) && w.waits_since && w.wish.due > *w.waits_since)
            return lead_loss::compute_loss(w.wish.due - *w.waits_since, now - *w.waits_since);
    return 0;
}

void slot_scheduler::release_owner(owner_id owner) noexcept {
    for (auto& s : slots_)
        if (s.owner == owner) s.owner = nobody;
}

std::optional<int> slot_scheduler::last_slot_used_by(owner_id owner) const {
    std::optional<int> last;
    for (const int slot : slots_used_by(owner))
        if (!last || at(slot).last_used > at(*last).last_used) last = slot;
    return last;
}

void slot_scheduler::retire_owner(owner_id owner) noexcept {
    release_owner(owner);
    for (auto& s : slots_)
        if (s.last_user == owner) s.is_left = true;
}

void slot_scheduler::forget_contents(int slot) {
    at(slot).holds.clear();
    at(slot).last_user = nobody;
}

std::vector<int> slot_scheduler::slots_used_by(owner_id owner) const {
    std::vector<int> used;
    for (int slot = 0; slot < usable_ && owner != nobody; ++slot) {
        const auto& s = at(slot);
        const bool is_used = s.busy ? s.user == owner : s.last_user == owner && !s.is_away;
        if (is_used) used.push_back(slot);
    }
    return used;
}

void slot_scheduler::set_server_state(int slot, server_slot_state side) {
    at(slot).server_state = side;
}

void slot_scheduler::stop_verifying() noexcept {
    for (auto& s : slots_)
        if (s.server_state == server_slot_state::unverified)
            s.server_state = server_slot_state::idle;
}

bool slot_scheduler::is_idle() const {
    return queue_.empty() &&
           std::none_of(slots_.begin(), slots_.end(), [](const slot_state& s) { return s.busy; });
}

int slot_scheduler::count_running() const {
    int running = 0;
    for (int slot = 0; slot < usable_; ++slot) running += at(slot).busy && !is_stuck(slot) ? 1 : 0;
    return running;
}

int slot_scheduler::count_waiting_requests() const noexcept {
    const auto live = std::ranges::count_if(
        queue_, [](const waiting& w) { return w.wish.kind != request_kind::background; });
    return static_cast<int>(live);
}

void slot_scheduler::set_slot_count(int slots) {
    usable_ = std::clamp(slots, 1, static_cast<int>(slots_.size()));
    next_in_turn_ %= usable_;
}

void slot_scheduler::raise_slot_limit(int slots) {
    slots_.resize(std::max(slots_.size(), static_cast<std::size_t>(slots)),
                  slot_state{.is_away = is_shared_});
}

void slot_scheduler::share_slots() {
    is_shared_ = true;
    for (auto& s : slots_) s.is_away = true;
}

void slot_scheduler::bring_back(int slot, std::optional<time_point> last_used, bool is_untouched) {
    auto& s = at(slot);
    if (s.busy || is_untouched)
        s.is_away = false;
    else
        s = {.last_used = last_used};
}

int slot_scheduler::count_slots_here() const {
    const auto end = slots_.begin() + usable_;
    return static_cast<int>(
        std::count_if(slots_.begin(), end, [](const slot_state& s) { return !s.is_away; }));
}

time_point slot_scheduler::ready_at(int slot) const {
    const auto& s = at(slot);
    return s.last_used ? *s.last_used + reuse_guard_ : time_point::min();
}

}  // namespace tandem::slots
