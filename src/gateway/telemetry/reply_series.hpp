#pragma once

#include "base/time.hpp"
#include "gateway/telemetry/metric_families.hpp"
#include "gateway/telemetry/metric_label_values.hpp"

#include "tandem/duration.hpp"
#include "tandem/result.hpp"

#include <optional>

namespace tandem::gateway {

inline double ms_to_seconds(double ms) noexcept {
    return ms / 1e3;
}

/// Seconds from the start of the reply to its first token. If the reply continues from a draft,
/// this is the time to its first chunk, because a first_token event may belong to a later request.
inline std::optional<double> time_to_first_token(const reply_result& r) {
    using kind = timeline_event::kind;
    for (const auto& e : r.timeline)
        if (e.what == kind::first_token || (e.what == kind::chunk && r.usage.drafted > 0))
            return to_seconds(duration(e.at_ns));
    return std::nullopt;
}

/// Metrics of the replies of one server and model. `labels` names both.
struct reply_series {
    prometheus::Registry& registry;
    prometheus::Labels labels;

    prometheus::Counter& requests =
        add_counter("tandem_server_requests_total", "Completion requests that were sent.");
    prometheus::Counter& cuts = add_counter("tandem_cuts_total", "Requests that were cut.");
    prometheus::Counter& warmings =
        add_counter("tandem_warmings_total", "Requests that prefilled a slot.");
    prometheus::Counter& resumptions =
        add_counter("tandem_resumptions_total", "Continuations of replies after a failure.");
    prometheus::Counter& guard_waits =
        add_counter("tandem_guard_waits_total", "Requests that waited for a slot's reuse guard.");
    prometheus::Counter& evaluated = add_token_counter("prompt_evaluated");
    prometheus::Counter& cached = add_token_counter("prompt_cached");
    prometheus::Counter& warmed = add_token_counter("prompt_warmed");
    prometheus::Counter& prefilled = add_token_counter("prompt_prefilled");
    prometheus::Counter& generated = add_token_counter("generated");
    prometheus::Counter& draft_wasted = add_token_counter("draft_wasted");
    prometheus::Counter& drafted =
        add_counter("tandem_tokens_drafted_total", "Generated tokens of drafts that were used.");
    prometheus::Counter& reasoning =
        add_counter("tandem_tokens_reasoning_total", "Generated tokens of reasoning.");
    prometheus::Counter& reasoning_cuts =
        add_counter("tandem_reasoning_cuts_total", "Replies whose reasoning was closed.");
    prometheus::Counter& heard =
        add_counter("tandem_tokens_heard_total", "Generated tokens in chunks that were continued.");
    prometheus::Counter& wasted =
        add_counter("tandem_tokens_wasted_total", "Generated tokens that were not delivered.");
    prometheus::Histogram& reasoning_time = add_histogram(
        "tandem_reply_reasoning_seconds", "Time that a reply with reasoning spent on it.");
    prometheus::Histogram& first_token = add_histogram(
        "tandem_reply_first_token_seconds", "Time from the start of a reply to its first token.");
    prometheus::Histogram& first_chunk = add_histogram(
        "tandem_reply_first_chunk_seconds", "Time from the start of a reply to its first chunk.");
    prometheus::Histogram& chunk_gap =
        add_histogram("tandem_chunk_gap_seconds", "Time from a continue to the next chunk.");
    prometheus::Histogram& slot_wait =
        add_histogram("tandem_reply_slot_wait_seconds", "Time that a reply waited for slots.");
    prometheus::Histogram& guard_wait = add_histogram("tandem_reply_guard_wait_seconds",
                                                      "Time that a reply waited for reuse guards.");
    prometheus::Histogram& cancel_to_idle = add_histogram(
        "tandem_cancel_to_idle_seconds", "Time from a cut until the slot was seen idle.");
    prometheus::Histogram& duration =
        add_histogram("tandem_reply_duration_seconds", "Time from the start of a reply to its end.",
                      lifetime_buckets);
    prometheus::Histogram& cache_ratio =
        add_histogram("tandem_reply_cache_ratio",
                      "Share of prompt tokens that were in the slot's cache.", shares);

    prometheus::Counter& end_counter(finish_reason why) const {
        return add_counter("tandem_replies_total", "Ended replies.",
                           add_label("finish_reason", to_string(why)));
    }
    prometheus::Counter& failure_counter(const error_code& why) const {
        return add_counter("tandem_reply_errors_total", "Failed replies, by error.",
                           add_label("code", error_label(why)));
    }
    prometheus::Counter& cache_break_counter(cache_break::cause why) const {
        return add_counter("tandem_cache_breaks_total",
                           "Prompts that differ from the slot's text, by cause.",
                           add_label("cause", to_string(why)));
    }

 private:
    prometheus::Labels add_label(const char* label, std::string_view value) const {
        auto all = labels;
        all.emplace(label, value);
        return all;
    }
    prometheus::Counter& add_counter(const char* name, const char* help) const {
        return add_counter(name, help, labels);
    }
    prometheus::Counter& add_counter(const char* name, const char* help,
                                     const prometheus::Labels& of) const {
        return register_counters(registry, name, help).Add(of);
    }
    prometheus::Counter& add_token_counter(const char* kind) const {
        return add_counter("tandem_tokens_total", "Tokens of prompts and replies.",
                           add_label("kind", kind));
    }
    prometheus::Histogram& add_histogram(
        const char* name, const char* help,
        const prometheus::Histogram::BucketBoundaries& buckets = wait_buckets) const {
        return register_histograms(registry, name, help).Add(labels, buckets);
    }
};

inline void record_token_usage(reply_series& s, const token_usage& u) {
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

inline void record_slot_metrics(reply_series& s, const slot_metrics& m) {
    s.requests.Increment(m.requests);
    s.cuts.Increment(m.cuts);
    s.warmings.Increment(m.warmings);
    s.resumptions.Increment(m.went_on);
    s.guard_waits.Increment(m.guard_waits);
    if (m.reasoning_cut) s.reasoning_cuts.Increment();
    s.slot_wait.Observe(ms_to_seconds(m.slot_wait_ms));
    s.guard_wait.Observe(ms_to_seconds(m.guard_wait_ms));
    s.duration.Observe(ms_to_seconds(m.total_ms));
    if (m.reasoning_ms > 0) s.reasoning_time.Observe(ms_to_seconds(m.reasoning_ms));
    if (m.verified_cuts > 0) s.cancel_to_idle.Observe(ms_to_seconds(m.cancel_to_idle_ms));
}

}  // namespace tandem::gateway
