#include "bench/bench_json.hpp"

#include "text/json_object.hpp"

#include <map>

namespace tandem::command {
namespace {

std::string times_of(const latency_stats& f) {
    return json_object{}
        .field("count", f.count)
        .field("p50", f.p50)
        .field("p90", f.p90)
        .field("p99", f.p99)
        .field("max", f.max)
        .finish();
}

void add_servers(json_object& o, const bench_setup& s) {
    const auto server_of = [](const std::string& url) {
        return json_object{}.field("url", url).finish();
    };
    o.raw("servers", json_list(s.servers, server_of))
        .field("mock_slots", s.mock_slots)
        .field("mock_tokens_per_second", s.mock_tokens_per_second);
}

void add_consumers(json_object& o, const bench_setup& s) {
    o.field("words_per_minute", s.words_per_minute)
        .field("partials_ms", s.users.partials)
        .field("eager_ms", s.users.eager)
        .field("revise", s.users.revise)
        .field("pacing", s.pacing)
        .field("slots", s.slots)
        .field("reuse_guard", s.reuse_guard);
}

std::string setting_of(const bench_setup& s) {
    json_object o;
    add_servers(o, s);
    o.field("concurrency", s.concurrency)
        .field("rate", s.rate > 0 ? s.rate : -1)
        .field("arrivals", s.rate <= 0 ? "none"
                           : s.is_even ? "even"
                                       : "poisson");
    add_consumers(o, s);
    return o.finish();
}

std::string capacity_setting_of(const capacity_report& r) {
    json_object o;
    add_servers(o, r.setting);
    add_consumers(o, r.setting);
    return o.field("first_chunk_within_ms", r.limits.first_chunk)
        .field("gap_within_ms", r.limits.gap)
        .field("step_seconds", to_ms(r.step_time) / 1000)
        .finish();
}

// Returns an object with a field for each error code.
template <class Value>
std::string by_code(const std::map<std::string, Value>& values) {
    json_object o;
    for (const auto& [code, value] : values) o.field(code.c_str(), value);
    return o.finish();
}

void add_counts(json_object& o, const bench_report& r) {
    const auto& f = r.figures;
    o.field("replies", f.replies)
        .field("complete", f.complete)
        .field("failed", f.failed)
        .field("interrupted", f.interrupted)
        .field("stopped", f.stopped)
        .field("missed", r.missed)
        .raw("errors", by_code(f.errors))
        .raw("messages", by_code(f.messages))
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
    o.raw("late_ms", times_of(f.late))
        .raw("first_token_ms", times_of(f.first_token))
        .raw("first_chunk_ms", times_of(f.first_chunk))
        .raw("gap_ms", times_of(f.gap))
        .raw("hand_over_ms", times_of(f.hand_over))
        .raw("cut_to_close_ms", times_of(f.cut_to_close))
        .raw("cut_to_idle_ms", times_of(f.cut_to_idle))
        .raw("slot_wait_ms", times_of(f.queue_wait))
        .raw("guard_wait_ms", times_of(f.guard_wait));
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
    o.field("event", "bench")
        .raw("setting", setting_of(r.setting))
        .field("stopped_early", r.was_stopped);
    add_counts(o, r);
    add_times(o, r.figures);
    add_cost(o, r);
    return o.line();
}

std::string capacity_step_json(const capacity_step& s, const latency_limits& limits) {
    const auto exceeded = s.describe_exceeded(limits);
    return json_object{}
        .field("event", "capacity_step")
        .field("callers", s.callers)
        .field("held", exceeded.empty())
        .field("exceeded", exceeded)
        .field("first_chunks", s.first_chunks)
        .field("first_chunk_p95_ms", s.first_chunk_p95)
        .field("gap_p99_ms", s.gap_p99)
        .field("failed", s.failed)
        .field("tokens_per_second", s.tokens_per_second())
        .line();
}

std::string capacity_json(const capacity_report& r) {
    return json_object{}
        .field("event", "capacity")
        .raw("setting", capacity_setting_of(r))
        .field("stopped_early", r.was_stopped)
        .field("given_up", r.was_given_up)
        .field("callers", r.callers)
        .field("over", r.over)
        .field("tokens_per_second", r.tokens_per_second())
        .field("listener_tokens_per_second", r.listener_tokens_per_second())
        .field("callers_by_arithmetic", r.callers_by_arithmetic())
        .raw("errors", by_code(r.figures.errors))
        .raw("messages", by_code(r.figures.messages))
        .line();
}

}  // namespace tandem::command
