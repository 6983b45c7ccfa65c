#include "slots/release_watch.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <utility>

namespace tandem::slots {
namespace {

using namespace std::chrono_literals;

// Since a cut in mid-stream.
constexpr std::array<duration, 3> first_looks{20ms, 100ms, 500ms};
constexpr duration look_interval = 2s;
// A little more than the second after which the server looks.
constexpr duration rest_after_early_cut = 1200ms;

bool is_processing(int slot, const std::vector<tandem::slot_state>& slots) {
    return std::any_of(slots.begin(), slots.end(), [slot](const tandem::slot_state& s) {
        return s.id == slot && s.processing;
    });
}

}  // namespace

server_side release_watch::cut(int slot, time_point now, server_side side) {
    const bool is_early = side == server_side::maybe_busy;
    const auto due = now + (is_early ? rest_after_early_cut : first_looks.front());
    watched_.insert_or_assign(slot, watched{.cut = now, .is_early = is_early, .due = due});
    return side == server_side::idle ? server_side::unverified : side;
}

// The request that was cut may be there still, and keep the next one waiting.
void release_watch::granted(int slot, time_point now) {
    const auto found = watched_.find(slot);
    if (found == watched_.end()) return;
    auto& w = found->second;
    w.care_until = w.cut + stuck_after_early_cut;
    if (!needs_care(w, now)) watched_.erase(found);
}

// The next look, after one that did not see the slot idle.
void release_watch::plan(watched& w, time_point now) {
    const auto next = std::upper_bound(first_looks.begin(), first_looks.end(), now - w.cut);
    const bool is_soon = !w.is_early && next != first_looks.end();
    w.due = is_soon ? w.cut + *next : now + look_interval;
}

bool release_watch::needs_care(const watched& w, time_point at) {
    return w.is_early && (!w.care_until || at < *w.care_until);
}

std::optional<time_point> release_watch::next_look(std::optional<time_point> unused_since) const {
    if (look_since_) return std::nullopt;
    std::optional<time_point> due;
    for (const auto& [slot, w] : watched_)
        if (!w.care_until) due = std::min(due.value_or(w.due), w.due);
    if (!due) return std::nullopt;
    for (const auto& [slot, w] : watched_) {
        if (!needs_care(w, *due)) continue;
        due = std::max(*due, w.cut + rest_after_early_cut);
        if (last_look_) due = std::max(*due, *last_look_ + look_interval);
    }
    if (unused_since && *due > *unused_since + watch_after_use) return std::nullopt;
    return due;
}

void release_watch::look_begun(time_point now) {
    look_since_ = last_look_ = now;
}

std::vector<release_news> release_watch::answered(const std::vector<tandem::slot_state>& slots,
                                                  time_point now) {
    std::vector<release_news> news;
    const auto since = std::exchange(look_since_, {}).value_or(now);
    last_look_ = now;
    failures_ = 0;
    for (auto i = watched_.begin(); i != watched_.end();) {
        auto& [slot, w] = *i;
        // Of a cut that came after the question the answer says nothing.
        const bool is_asked = w.cut <= since;
        const bool busy = is_processing(slot, slots);
        if (is_asked && !w.care_until)
            if (const auto told = judge(slot, w, busy, now)) news.push_back(*told);
        i = is_asked && !busy ? watched_.erase(i) : std::next(i);
    }
    return news;
}

std::optional<release_news> release_watch::judge(int slot, watched& w, bool is_processing,
                                                 time_point now) {
    const auto since_cut = now - w.cut;
    if (!is_processing) return release_news{slot, server_side::idle, since_cut, w.is_stuck};
    plan(w, now);
    const auto limit = w.is_early ? stuck_after_early_cut : stuck_after_cut;
    if (w.is_stuck || since_cut < limit) return std::nullopt;
    w.is_stuck = true;
    return release_news{slot, server_side::busy, since_cut, false};
}

std::vector<release_news> release_watch::failed(time_point now) {
    look_since_.reset();
    last_look_ = now;
    if (++failures_ >= most_failed_looks) return give_up(now);
    for (auto& [slot, w] : watched_) plan(w, now);
    return {};
}

std::vector<release_news> release_watch::give_up(time_point now) {
    std::vector<release_news> news;
    for (const auto& [slot, w] : watched_)
        if (w.is_stuck && !w.care_until)
            news.push_back({slot, server_side::maybe_busy, now - w.cut, true});
    watched_.clear();
    failures_ = 0;
    return news;
}

}  // namespace tandem::slots
