#pragma once

#include "tandem/duration.hpp"
#include "tandem/result.hpp"

#include <chrono>
#include <optional>
#include <prometheus/counter.h>
#include <prometheus/histogram.h>

namespace tandem::gateway {

inline double seconds(duration d) noexcept {
    return std::chrono::duration<double>(d).count();
}

inline double seconds_of_ms(double ms) noexcept {
    return ms / 1e3;
}

/// A draft had its first token by the time of the reply's first chunk. Later tokens are of later
/// requests.
inline std::optional<double> first_token_after(const reply_result& r) {
    using kind = timeline_event::kind;
    for (const auto& e : r.timeline)
        if (e.what == kind::first_token || (e.what == kind::chunk && r.usage.drafted > 0))
            return seconds(duration(e.at_ns));
    return std::nullopt;
}

/// Metrics of the replies of one server and model.
struct reply_series {
    prometheus::Counter& requests;
    prometheus::Counter& cuts;
    prometheus::Counter& warmings;
    prometheus::Counter& resumptions;
    prometheus::Counter& guard_waits;
    prometheus::Counter& evaluated;
    prometheus::Counter& cached;
    prometheus::Counter& warmed;
    prometheus::Counter& prefilled;
    prometheus::Counter& generated;
    prometheus::Counter& draft_wasted;
    prometheus::Counter& drafted;
    prometheus::Counter& reasoning;
    prometheus::Counter& reasoning_cuts;
    prometheus::Counter& heard;
    prometheus::Counter& wasted;
    prometheus::Histogram& reasoning_time;
    prometheus::Histogram& first_token;
    prometheus::Histogram& first_chunk;
    prometheus::Histogram& chunk_gap;
    prometheus::Histogram& slot_wait;
    prometheus::Histogram& guard_wait;
    prometheus::Histogram& cancel_to_idle;
    prometheus::Histogram& duration;
    prometheus::Histogram& cache_ratio;
};

inline void count_tokens(reply_series& s, const token_usage& u) {
    s.evaluated.Increment(u.evaluated);
    s.cached.Increment(u.cached);
    s.warmed.Increment(u.warmed);
    s.prefilled.Increment(u.prefilled);
    s.generated.Increment(u.generated);
    s.draft_wasted.Increment(u.draft_wasted);
    s.drafted.Increment(u.drafted);
    s.reasoning.Increment(u.reasoning);
    s.heard.Increment(u.heard);
    s.wasted.Increment(u.wasted);
    if (u.prompt_tokens() > 0) s.cache_ratio.Observe(u.cache_hit_ratio());
}

inline void count_slots(reply_series& s, const slot_metrics& m) {
    s.requests.Increment(m.requests);
    s.cuts.Increment(m.cuts);
    s.warmings.Increment(m.warmings);
    s.resumptions.Increment(m.went_on);
    s.guard_waits.Increment(m.guard_waits);
    if (m.reasoning_cut) s.reasoning_cuts.Increment();
    s.slot_wait.Observe(seconds_of_ms(m.slot_wait_ms));
    s.guard_wait.Observe(seconds_of_ms(m.guard_wait_ms));
    s.duration.Observe(seconds_of_ms(m.total_ms));
    if (m.reasoning_ms > 0) s.reasoning_time.Observe(seconds_of_ms(m.reasoning_ms));
    if (m.verified_cuts > 0) s.cancel_to_idle.Observe(seconds_of_ms(m.cancel_to_idle_ms));
}

}  // namespace tandem::gateway
