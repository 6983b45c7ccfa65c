#include "replay_totals.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::command {
namespace {

// 8 MB of times: runs of more chunks tell the spread of so many.
constexpr std::size_t max_gaps = 1'000'000;

// The smallest value that at least this share of the sorted, non-empty values does not exceed.
double percentile(const std::vector<double>& sorted, double share) {
    const auto rank = std::ceil(share * static_cast<double>(sorted.size()));
    return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

spread spread_of(std::vector<double> times_ms) {
    if (times_ms.empty()) return {};
    std::sort(times_ms.begin(), times_ms.end());
    return {percentile(times_ms, 0.5), percentile(times_ms, 0.9), times_ms.back()};
}

double replay_summary::cache_hit_ratio() const noexcept {
    const auto all = cached + evaluated;
    return all > 0 ? static_cast<double>(cached) / static_cast<double>(all) : 0.0;
}

double replay_summary::cpu_us_per_token() const noexcept {
    return generated > 0 ? cpu_ms * 1000 / static_cast<double>(generated) : 0.0;
}

void replay_totals::add(const chunk& c) {
    if (c.id.seq > 0 && gap_ms_.size() < max_gaps) gap_ms_.push_back(c.gap_ms);
}

void replay_totals::add(const reply_result& r) {
    auto& s = summary_;
    if (r.finish_reason == finish_reason::error)
        ++s.failed;
    else if (r.finish_reason == finish_reason::interrupted)
        ++s.interrupted;
    else
        ++s.complete;
    s.chunks += r.metrics.chunks;
    s.generated += r.usage.generated;
    s.handed_over += r.usage.handed_over;
    s.wasted += r.usage.wasted;
    s.cached += r.usage.cached;
    s.evaluated += r.usage.evaluated;
    s.warmed += r.usage.warmed;
    s.guard_waits += r.metrics.guard_waits;
    s.guard_wait_ms += r.metrics.guard_wait_ms;
    if (r.metrics.first_chunk_ms >= 0) first_chunk_ms_.push_back(r.metrics.first_chunk_ms);
}

int replay_totals::ended() const noexcept {
    return summary_.complete + summary_.failed + summary_.interrupted;
}

replay_summary replay_totals::summary(double total_ms, double cpu_ms) const {
    auto s = summary_;
    s.not_started = s.replies - ended();
    s.total_ms = total_ms;
    s.cpu_ms = cpu_ms;
    s.first_chunk_ms = spread_of(first_chunk_ms_);
    s.gap_ms = spread_of(gap_ms_);
    return s;
}

}  // namespace tandem::command
