#include "slots/slot_release_monitor.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace tandem::slots {
namespace {

using namespace std::chrono_literals;

// Times of the first polls after a cut in mid-stream.
constexpr std::array<duration, 3> first_looks{20ms, 100ms, 500ms};
constexpr duration look_interval = 2s;
// A little more than the second after which the server checks its connections.
constexpr duration rest_after_early_cut = 1200ms;

bool is_processing(int slot, const std::vector<tandem::slot_state>& slots) {
    return std::any_of(slots.begin(), slots.end(), [slot](const tandem::slot_state& s) {
        return s.id == slot && s.processing;
    });
}

}  // namespace

server_slot_state slot_release_monitor::record_cut(int slot, time_point now,
                                                   server_slot_state side) {
    const bool is_early = side == server_slot_state::maybe_busy;
    const auto due = now + (is_early ? rest_after_early_cut : first_looks.front());
    watched_.insert_or_assign(slot, watched{.cut = now, .is_early = is_early, .due = due});
    return side == server_slot_state::idle ? server_slot_state::unverified : side;
}

// After an early cut, the cancelled request may still be running on the slot, so polls remain rare
// for a while.
void slot_release_monitor::on_granted(int slot, time_point now) {
    const auto found = watched_.find(slot);
    if (found == watched_.end()) return;
    auto& w = found->second;
    w.care_until = w.cut + stuck_after_early_cut;
    if (!needs_sparse_polling(w, now)) watched_.erase(found);
}

// Schedules the next poll after one that did not find the slot idle.
void slot_release_monitor::schedule_poll(watched& w, time_point now) {
    const auto next = std::upper_bound(first_looks.begin(), first_looks.end(), now - w.cut);
    const bool is_soon = !w.is_early && next != first_looks.end();
    w.due = is_soon ? w.cut + *next : now + look_interval;
}

bool slot_release_monitor::needs_sparse_polling(const watched& w, time_point at) {
    return w.is_early && (!w.care_until || at < *w.care_until);
}

std::optional<time_point> slot_release_monitor::next_poll_at(
    std::optional<time_point> unused_since) const {
    if (look_since_) return std::nullopt;
    std::optional<time_point> due;
    for (const auto& [slot, w] : watched_)
        if (!w.care_until) due = std::min(due.value_or(w.due), w.due);
    if (!due) return std::nullopt;
    for (const auto& [slot, w] : watched_) {
        if (!needs_sparse_polling(w, *due)) continue;
        due = std::max(*due, w.cut + rest_after_early_cut);
        if (last_look_) due = std::max(*due, *last_look_ + look_interval);
    }
    if (unused_since && *due > *unused_since + watch_after_use) return std::nullopt;
    return due;
}

void slot_release_monitor::on_poll_started(time_point now) {
    look_since_ = last_look_ = now;
}

std::vector<release_report> slot_release_monitor::record_poll_result(
    const std::vector<tandem::slot_state>& slots, time_point now) {
    std::vector<release_report> news;
    const auto since = std::exchange(look_since_, {}).value_or(now);
    last_look_ = now;
    failures_ = 0;
    for (auto i = watched_.begin(); i != watched_.end();) {
        auto& [slot, w] = *i;
        // The answer says nothing about a cut made after the poll started.
        const bool is_asked = w.cut <= since;
        const bool busy = is_processing(slot, slots);
        if (is_asked && !w.care_until)
            if (const auto told = interpret_state(slot, w, busy, now)) news.push_back(*told);
        i = is_asked && !busy ? watched_.erase(i) : std::next(i);
    }
    return news;
}

std::optional<release_report> slot_release_monitor::interpret_state(int slot, watched& w,
                                                                    bool is_processing,
                                                                    time_point now) {
    const auto since_cut = now - w.cut;
    if (!is_processing) return release_report{slot, server_slot_state::idle, since_cut, w.is_stuck};
    schedule_poll(w, now);
    const auto limit = w.is_early ? stuck_after_early_cut : stuck_after_cut;
    if (w.is_stuck || since_cut < limit) return std::nullopt;
    w.is_stuck = true;
    return release_report{slot, server_slot_state::busy, since_cut, false};
}

std::vector<release_report> slot_release_monitor::record_poll_failure(time_point now) {
    look_since_.reset();
    last_look_ = now;
    if (++failures_ >= max_failed_polls) return give_up(now);
    for (auto& [slot, w] : watched_) schedule_poll(w, now);
    return {};
}

std::vector<release_report> slot_release_monitor::give_up(time_point now) {
    std::vector<release_report> news;
    for (const auto& [slot, w] : watched_)
        if (w.is_stuck && !w.care_until)
            news.push_back({slot, server_slot_state::maybe_busy, now - w.cut, true});
    watched_.clear();
    failures_ = 0;
    return news;
}

}  // namespace tandem::slots
