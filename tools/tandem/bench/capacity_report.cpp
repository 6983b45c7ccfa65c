#include "bench/capacity_report.hpp"

#include <algorithm>

namespace tandem::command {

bool capacity_step::has_enough_first_chunks() const noexcept {
    return first_chunks >= std::min(callers, 20);
}

std::string capacity_step::describe_exceeded(const latency_limits& limits) const {
    std::string names;
    const auto add = [&](bool exceeds, const char* name) {
        if (exceeds) names += (names.empty() ? "" : ", ") + std::string(name);
    };
    add(first_chunks == 0 && failed == 0, "no first chunk");
    add(first_chunk_p95 > to_ms(limits.first_chunk), "first chunk");
    add(gap_p99 > to_ms(limits.gap), "gap");
    add(failed > 0, "failed");
    return names;
}

double capacity_report::tokens_per_second() const noexcept {
    double most = 0;
    for (const auto& s : steps) most = std::max(most, s.tokens_per_second());
    return most;
}

double capacity_report::listener_tokens_per_second() const noexcept {
    std::int64_t tokens = 0;
    double seconds = 0;
    for (const auto& s : steps) {
        tokens += s.tokens;
        seconds += s.speech_seconds;
    }
    return ratio(tokens, seconds);
}

}  // namespace tandem::command
