#include "bench/capacity_step.hpp"

#include <cstddef>

namespace tandem::command {

double capacity_step::tokens_per_second() const noexcept {
    return seconds > 0 ? static_cast<double>(tokens) / seconds : 0;
}

std::string capacity_step::exceeded(const capacity_limits& limits) const {
    std::string names;
    const auto add = [&](bool exceeds, const char* name) {
        if (exceeds) names += (names.empty() ? "" : ", ") + std::string(name);
    };
    add(first_chunk_p95 > to_ms(limits.first_chunk), "first chunk");
    add(gap_p99 > to_ms(limits.gap), "gap");
    add(failed > 0, "failed replies");
    return names;
}

void capacity_totals::add_ended(const turn_times& t, bool failed, time_point now) {
    if (now < from_) return;
    if (failed) ++sums_.failed;
    add_waits(t, now);
}

void capacity_totals::add_running(const turn_times& t, time_point now) {
    add_waits(t, now);
    if (!t.chunks.empty() && t.chunks.back().continued > t.chunks.back().came)
        gap_.add(now - t.chunks.back().continued);
}

void capacity_totals::add_waits(const turn_times& t, time_point now) {
    if (t.chunks.empty()) first_chunk_.add(now - t.due);
    for (std::size_t i = 0; i < t.chunks.size(); ++i) {
        const auto& c = t.chunks[i];
        if (c.came < from_) continue;
        if (i == 0)
            first_chunk_.add(c.came - t.due);
        else
            gap_.add(c.came - t.chunks[i - 1].continued);
        sums_.tokens += c.tokens;
        sums_.speech_seconds += to_ms(c.speech) / 1000;
    }
}

capacity_step capacity_totals::result(int callers, time_point now) const {
    auto s = sums_;
    s.callers = callers;
    s.first_chunk_p95 = first_chunk_.percentile(0.95);
    s.gap_p99 = gap_.percentile(0.99);
    s.seconds = to_ms(now - from_) / 1000;
    return s;
}

}  // namespace tandem::command
