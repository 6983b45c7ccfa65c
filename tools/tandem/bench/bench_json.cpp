#include "bench/bench_json.hpp"

#include "text/json_object.hpp"

namespace tandem::command {
namespace {

json_object times_of(const latency_stats& f) {
    json_object o;
    o.field("count", f.count)
        .field("p50", f.p50)
        .field("p90", f.p90)
        .field("p99", f.p99)
        .field("max", f.max);
    return o;
}

void add_servers(json_object& o, const bench_setup& s) {
    o.raw("servers", json_list(s.servers, [](const std::string& url) {
              json_object server;
              server.field("url", std::string_view(url));
              return server;
          }));
    o.field("mock_slots", s.mock_slots).field("mock_tokens_per_second", s.mock_tokens_per_second);
}

void add_consumers(json_object& o, const bench_setup& s) {
    const auto ms = [](const std::optional<duration>& time) { return time ? to_ms(*time) : -1; };
    o.field("words_per_minute", s.words_per_minute)
        .field("partials_ms", ms(s.users.partials))
        .field("eager_ms", ms(s.users.eager))
        .field("revise", s.users.revise)
        .field("pacing", std::string_view(s.pacing))
        .field("slots", s.slots)
        .field("reuse_guard", std::string_view(s.reuse_guard));
}

json_object setting_of(const bench_setup& s) {
    json_object o;
    add_servers(o, s);
    o.field("concurrency", s.concurrency)
        .field("rate", s.rate > 0 ? s.rate : -1)
        .field("arrivals", s.rate <= 0 ? "none"
                           : s.is_even ? "even"
                                       : "poisson");
    add_consumers(o, s);
    return o;
}

json_object capacity_setting_of(const capacity_report& r) {
    json_object o;
    add_servers(o, r.setting);
    add_consumers(o, r.setting);
    o.field("first_chunk_within_ms", to_ms(r.limits.first_chunk))
        .field("gap_within_ms", to_ms(r.limits.gap))
        .field("step_seconds", to_ms(r.step_time) / 1000);
    return o;
}

json_object errors_of(const bench_stats& f) {
    json_object o;
    for (const auto& [code, count] : f.errors) o.field(code.c_str(), count);
    return o;
}

json_object messages_of(const bench_stats& f) {
    json_object o;
    for (const auto& [code, message] : f.messages) o.field(code.c_str(), std::string_view(message));
    return o;
}

void add_counts(json_object& o, const bench_report& r) {
    const auto& f = r.figures;
    o.field("replies", f.replies)
        .field("complete", f.complete)
        .field("failed", f.failed)
        .field("interrupted", f.interrupted)
        .field("stopped", f.stopped)
        .field("missed", r.missed)
        .field("errors", errors_of(f))
        .field("messages", messages_of(f))
        .field("chunks", f.chunks)
        .field("generated", f.generated)
        .field("wasted", f.wasted)
        .field("drafted", f.drafted)
        .field("draft_wasted", f.draft_wasted)
        .field("prefilled", f.prefilled)
        .field("cached", f.cached)
        .field("evaluated", f.evaluated)
        .field("requests", f.requests)
        .field("cuts", f.cuts)
        .field("retries", f.retries);
}

void add_times(json_object& o, const bench_stats& f) {
    o.field("late_ms", times_of(f.late))
        .field("first_token_ms", times_of(f.first_token))
        .field("first_chunk_ms", times_of(f.first_chunk))
        .field("gap_ms", times_of(f.gap))
        .field("hand_over_ms", times_of(f.hand_over))
        .field("cut_to_close_ms", times_of(f.cut_to_close))
        .field("cut_to_idle_ms", times_of(f.cut_to_idle))
        .field("slot_wait_ms", times_of(f.queue_wait))
        .field("guard_wait_ms", times_of(f.guard_wait));
}

void add_cost(json_object& o, const bench_report& r) {
    o.field("seconds", r.cost.seconds)
        .field("replies_per_second", r.replies_per_second())
        .field("tokens_per_second", r.tokens_per_second())
        .field("cpu_us_per_token", r.cpu_us_per_token())
        .field("loop_load", r.loop_load())
        .field("rss_before_bytes", r.cost.rss_before)
        .field("rss_peak_bytes", r.cost.rss_peak)
        .field("peak_streams", r.cost.peak_streams)
        .field("bytes_per_stream", r.bytes_per_stream())
        .field("measuring_bytes", r.cost.measuring_bytes);
}

}  // namespace

std::string bench_json(const bench_report& r) {
    json_object o;
    o.field("event", "bench").field("setting", setting_of(r.setting));
    o.field("stopped_early", r.was_stopped);
    add_counts(o, r);
    add_times(o, r.figures);
    add_cost(o, r);
    return o.line();
}

std::string capacity_step_json(const capacity_step& s, const capacity_limits& limits) {
    json_object o;
    const auto exceeded = s.exceeded(limits);
    o.field("event", "capacity_step")
        .field("callers", s.callers)
        .field("held", exceeded.empty())
        .field("exceeded", std::string_view(exceeded))
        .field("first_chunks", s.first_chunks)
        .field("first_chunk_p95_ms", s.first_chunk_p95)
        .field("gap_p99_ms", s.gap_p99)
        .field("failed", s.failed)
        .field("tokens_per_second", s.tokens_per_second());
    return o.line();
}

std::string capacity_json(const capacity_report& r) {
    json_object o;
    o.field("event", "capacity").field("setting", capacity_setting_of(r));
    o.field("stopped_early", r.was_stopped)
        .field("given_up", r.was_given_up)
        .field("callers", r.callers);
    if (r.over)
        o.field("over", *r.over);
    else
        o.null("over");
    o.field("tokens_per_second", r.tokens_per_second())
        .field("listener_tokens_per_second", r.listener_tokens_per_second())
        .field("callers_by_arithmetic", r.callers_by_arithmetic())
        .field("errors", errors_of(r.figures))
        .field("messages", messages_of(r.figures));
    return o.line();
}

}  // namespace tandem::command
