#include "replay/replay_json.hpp"

#include "run/call_json.hpp"
#include "text/format_error.hpp"
#include "text/json_object.hpp"

#include <fmt/format.h>

namespace tandem::command {
namespace {

json_object event_of(const char* name) {
    json_object object;
    object.field("event", name);
    return object;
}

json_object event_of(const char* name, const reply_name& where) {
    auto object = event_of(name);
    object.field("id", where.id).field("turn", where.turn).field("reply", where.reply);
    return object;
}

void add_server(json_object& out, std::string_view url) {
    if (!url.empty()) out.field("server", url);
}

std::string usage_json(const reply_result& r) {
    const auto& u = r.usage;
    json_object usage;
    usage.field("prompt", u.prompt)
        .field("cached", u.cached)
        .field("evaluated", u.evaluated)
        .field("generated", u.generated)
        .field("handed_over", u.handed_over)
        .field("heard", u.heard)
        .field("wasted", u.wasted)
        .field("reasoning", u.reasoning)
        .field("warmed", u.warmed)
        .field("drafted", u.drafted)
        .field("draft_wasted", u.draft_wasted)
        .field("prefilled", u.prefilled);
    if (const auto& b = r.cache_break)
        usage.raw("cache_break", json_object{}
                                     .field("cause", to_string(b->why))
                                     .field("at", b->at)
                                     .field("of", b->of)
                                     .field("text", b->text)
                                     .finish());
    return usage.finish();
}

std::string spread_json(const percentiles& s) {
    return json_object{}
        .field("p50", s.p50)
        .field("p90", s.p90)
        .field("p99", s.p99)
        .field("max", s.max)
        .finish();
}

std::string slot_json(const slot_stats& s) {
    return json_object{}
        .field("slot", s.slot)
        .field("requests", s.requests)
        .field("chunks", s.chunks)
        .field("generated", s.generated)
        .field("cached", s.cached)
        .field("evaluated", s.evaluated)
        .field("cache_hit_ratio", s.cache_hit_ratio())
        .finish();
}

std::string server_json(const server_stats& s) {
    return json_object{}
        .field("url", s.url)
        .field("state", s.state)
        .raw("slots", json_list(s.slots, slot_json))
        .field("replies", s.replies)
        .field("failed", s.failed)
        .finish();
}

std::string conversations_json(const conversation_stats& c) {
    return json_object{}
        .field("count", c.count)
        .field("turns", c.turns)
        .field("trims", c.trims)
        .field("moves", c.moves)
        .field("resumed", c.resumed)
        .finish();
}

std::string broken_json(const broken_expectation& b) {
    return json_object{}
        .field("name", b.name)
        .field("expected", b.expected)
        .field("got", b.got)
        .finish();
}

std::string expected_json(const replay_summary& s) {
    return json_object{}
        .field("turns", s.checked_turns)
        .field("broken", s.broken_turns)
        .field("unchecked", s.unchecked_turns)
        .finish();
}

void add_fault(json_object& out, const error_code& ec, const diagnostics& d,
               const std::string& hint = {}) {
    out.field("code", error_name(ec))
        .field("message", format_error(ec, d, hint))
        .field("retryable", is_retryable(ec));
}

// Returns the times of server failures, relative to the start of the reply.
std::string losses_of(const reply_result& r) {
    std::string list = "[";
    for (const auto& e : r.timeline) {
        if (e.what != timeline_event::kind::lost) continue;
        list +=
            fmt::format("{}{:.3f}", list.size() > 1 ? "," : "", static_cast<double>(e.at_ns) / 1e6);
    }
    return list + ']';
}

void add_outcome(json_object& out, const end_event& e) {
    const auto& m = e.result.metrics;
    out.field("text", e.result.text);
    if (!e.result.reasoning.empty()) out.field("reasoning", e.result.reasoning);
    if (!e.result.unspoken_text.empty()) out.field("unspoken_text", e.result.unspoken_text);
    if (!e.result.calls.empty()) out.raw("calls", json_list(e.result.calls, call_json));
    if (e.checked) out.raw("expected", json_list(e.checked->broken, broken_json));
    out.field("chunks", m.chunks)
        .raw("usage", usage_json(e.result))
        .field("first_chunk_ms", m.first_chunk_ms)
        .field("total_ms", m.total_ms)
        .field("guard_waits", m.guard_waits)
        .field("guard_wait_ms", m.guard_wait_ms)
        .field("slot_wait_ms", m.slot_wait_ms)
        .field("first_slot_wait_ms", m.first_slot_wait_ms)
        .field("longest_gap_ms", m.longest_gap_ms)
        .field("reasoning_ms", m.reasoning_ms)
        .field("reasoning_cut", m.reasoning_cut)
        .field("requests", m.requests)
        .field("warmings", m.warmings)
        .field("verified_cuts", m.verified_cuts)
        .field("cancel_to_idle_ms", m.cancel_to_idle_ms)
        .field("longest_connect_ms", m.longest_connect_ms)
        .field("longest_first_token_ms", m.longest_first_token_ms)
        .field("longest_token_gap_ms", m.longest_token_gap_ms)
        .field("longest_continue_ms", m.longest_continue_ms)
        .field("retries", m.retries)
        .raw("lost_ms", losses_of(e.result))
        .field("t_ns", e.t_ns);
}

}  // namespace

std::string json_line(const chunk_event& e) {
    const auto& c = e.chunk;
    auto out = event_of("chunk", e.where);
    add_server(out, e.server);
    return out.field("seq", c.id.seq)
        .field("text", c.text)
        .field("speech", c.speech)
        .field("boundary", to_string(c.boundary))
        .field("tokens", c.tokens)
        .field("request", c.metrics.request)
        .field("slot", c.metrics.slot)
        .field("slot_reused", c.metrics.slot_reused)
        .field("cached", c.metrics.cached)
        .field("evaluated", c.metrics.evaluated)
        .field("guard_wait_ms", c.metrics.guard_wait_ms)
        .field("gap_ms", c.metrics.gap_ms)
        .field("t_ns", e.t_ns)
        .line();
}

std::string json_line(const end_event& e) {
    const bool failed = e.result.finish_reason == finish_reason::error;
    auto out = event_of(failed ? "error" : "end", e.where);
    add_server(out, e.server);
    if (failed)
        add_fault(out, e.result.error, e.result.diagnostics, e.hint);
    else
        out.field("finish_reason", to_string(e.result.finish_reason));
    add_outcome(out, e);
    return out.line();
}

std::string json_line(const fault_event& e) {
    auto out = event_of("error");
    out.raw("id", "null").raw("turn", "null").raw("reply", "null");
    add_server(out, e.server);
    add_fault(out, e.error, e.diagnostics, std::string(e.hint));
    return out.field("t_ns", e.t_ns).line();
}

std::string json_line(const replay_summary& s) {
    json_object tokens;
    tokens.field("generated", s.generated)
        .field("handed_over", s.handed_over)
        .field("heard", s.heard)
        .field("wasted", s.wasted)
        .field("cached", s.cached)
        .field("evaluated", s.evaluated)
        .field("warmed", s.warmed)
        .field("drafted", s.drafted)
        .field("draft_wasted", s.draft_wasted)
        .field("prefilled", s.prefilled)
        .field("hit_ratio", s.cache_hit_ratio());
    auto out = event_of("summary");
    out.field("replies", s.replies)
        .field("complete", s.complete)
        .field("failed", s.failed)
        .field("interrupted", s.interrupted)
        .field("not_started", s.not_started)
        .field("went_on", s.went_on)
        .field("retries", s.retries)
        .field("chunks", s.chunks)
        .field("calls", s.calls);
    if (s.checked_turns + s.unchecked_turns > 0) out.raw("expected", expected_json(s));
    return out.raw("tokens", tokens.finish())
        .field("cuts", s.cuts)
        .field("guard_waits", s.guard_waits)
        .field("guard_wait_ms", s.guard_wait_ms)
        .raw("first_token_ms", spread_json(s.first_token_ms))
        .raw("first_chunk_ms", spread_json(s.first_chunk_ms))
        .raw("gap_ms", spread_json(s.gap_ms))
        .raw("slot_wait_ms", spread_json(s.slot_wait_ms))
        .raw("servers", json_list(s.servers, server_json))
        .raw("conversations", conversations_json(s.conversations))
        .field("total_ms", s.total_ms)
        .field("cpu_ms", s.cpu_ms)
        .field("cpu_us_per_token", s.cpu_us_per_token())
        .line();
}

}  // namespace tandem::command
