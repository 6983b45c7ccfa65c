#include "run/replay_totals.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::command {
namespace {

// Limits the samples to 8 MB. The percentiles do not include later gaps.
constexpr std::size_t max_gaps = 1'000'000;

// Returns the smallest value that at least this share of the sorted values does not exceed.
// `sorted` must not be empty.
double percentile(const std::vector<double>& sorted, double share) {
    const auto rank = std::ceil(share * static_cast<double>(sorted.size()));
    return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

void add_slot(std::vector<slot_stats>& slots, const slot_stats& used) {
    auto at = std::ranges::lower_bound(slots, used.slot, {}, &slot_stats::slot);
    if (at == slots.end() || at->slot != used.slot) at = slots.insert(at, {.slot = used.slot});
    *at += used;
}

}  // namespace

percentiles compute_percentiles(std::vector<double> times_ms) {
    if (times_ms.empty()) return {};
    std::sort(times_ms.begin(), times_ms.end());
    return {percentile(times_ms, 0.5), percentile(times_ms, 0.9), percentile(times_ms, 0.99),
            times_ms.back()};
}

bool has_first_token(const timeline_event& e, const reply_result& r) noexcept {
    using kind = timeline_event::kind;
    return e.what == kind::first_token || (e.what == kind::chunk && r.usage.drafted > 0);
}

double first_token_ms(const reply_result& r) noexcept {
    const auto first = std::ranges::find_if(
        r.timeline, [&r](const timeline_event& e) { return has_first_token(e, r); });
    return first == r.timeline.end() ? -1 : static_cast<double>(first->at_ns) / 1e6;
}

replay_totals::replay_totals(int replies, const std::vector<std::string>& servers) {
    summary_.replies = replies;
    for (const auto& url : servers) summary_.servers.push_back({.url = url});
}

server_stats* replay_totals::find(std::string_view url) {
    const auto found = std::ranges::find(summary_.servers, url, &server_stats::url);
    return found == summary_.servers.end() ? nullptr : &*found;
}

void replay_totals::add(const conversation_metrics& m) {
    auto& c = summary_.conversations;
    ++c.count;
    c.turns += m.turns;
    c.trims += m.trims;
    c.moves += m.moves;
    c.resumed += m.resumed;
}

void replay_totals::add(const end_event& e) {
    add(e.result);
    if (e.checked) {
        ++summary_.checked_turns;
        --summary_.unchecked_turns;
        if (!e.checked->broken.empty()) ++summary_.broken_turns;
    }
    for (const auto& used : e.slots)
        if (auto* made_by = find(used.server)) add_slot(made_by->slots, used);
    auto* s = find(e.server);
    if (!s) return;
    ++s->replies;
    if (e.result.finish_reason == finish_reason::error) ++s->failed;
}

void replay_totals::add(const chunk& c) {
    if (c.id.seq > 0 && gap_ms_.size() < max_gaps) gap_ms_.push_back(c.metrics.gap_ms);
}

void replay_totals::add(const reply_result& r) {
    auto& s = summary_;
    if (r.finish_reason == finish_reason::error)
        ++s.failed;
    else if (r.finish_reason == finish_reason::interrupted)
        ++s.interrupted;
    else
        ++s.complete;
    if (r.metrics.went_on > 0) ++s.went_on;
    if (r.metrics.retries > 0) ++s.lost_servers;
    s.retries += r.metrics.retries;
    s.chunks += r.metrics.chunks;
    s.calls += std::ssize(r.calls);
    s.generated += r.usage.generated;
    s.handed_over += r.usage.handed_over;
    s.heard += r.usage.heard;
    s.wasted += r.usage.wasted;
    s.cached += r.usage.cached;
    s.evaluated += r.usage.evaluated;
    s.warmed += r.usage.warmed;
    s.drafted += r.usage.drafted;
    s.draft_wasted += r.usage.draft_wasted;
    s.prefilled += r.usage.prefilled;
    s.cuts += r.metrics.cuts;
    s.guard_waits += r.metrics.guard_waits;
    s.guard_wait_ms += r.metrics.guard_wait_ms;
    if (r.metrics.requests > 0) {
        slot_wait_ms_.push_back(r.metrics.slot_wait_ms);
        guard_part_ms_.push_back(r.metrics.guard_wait_ms);
    }
    if (const auto ms = first_token_ms(r); ms >= 0) first_token_ms_.push_back(ms);
    if (r.metrics.first_chunk_ms >= 0) first_chunk_ms_.push_back(r.metrics.first_chunk_ms);
}

replay_summary replay_totals::summary(double total_ms, double cpu_ms) const {
    auto s = summary_;
    s.not_started = s.replies - ended();
    s.total_ms = total_ms;
    s.cpu_ms = cpu_ms;
    s.first_token_ms = compute_percentiles(first_token_ms_);
    s.first_chunk_ms = compute_percentiles(first_chunk_ms_);
    s.gap_ms = compute_percentiles(gap_ms_);
    s.slot_wait_ms = compute_percentiles(slot_wait_ms_);
    s.guard_part_ms = compute_percentiles(guard_part_ms_);
    return s;
}

}  // namespace tandem::command
