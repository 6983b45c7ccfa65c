#include "json_lines.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <concepts>
#include <iterator>

namespace tandem::command {
namespace {

std::string quoted(std::string_view text) {
    using nlohmann::json;
    return json(text).dump(-1, ' ', false, json::error_handler_t::replace);
}

// Writes one object, field by field in the order of the calls.
class object_writer {
 public:
    explicit object_writer(std::string_view event) { field("event", event); }
    object_writer() = default;

    object_writer& field(const char* name, std::string_view value) {
        return raw(name, quoted(value));
    }
    object_writer& field(const char* name, std::integral auto value) {
        return raw(name, fmt::format("{}", value));
    }
    /// Milliseconds and ratios; what is not there (below 0) is null.
    object_writer& field(const char* name, double value) {
        return raw(name, value >= 0 ? fmt::format("{:.3f}", value) : "null");
    }
    object_writer& field(const char* name, object_writer&& value) {
        return raw(name, value.closed());
    }
    object_writer& null(const char* name) { return raw(name, "null"); }
    object_writer& where(const turn_name& w) { return field("id", w.id).field("turn", w.turn); }

    std::string closed() { return std::move(text_ += '}'); }
    std::string line() { return closed() + '\n'; }

 private:
    object_writer& raw(const char* name, std::string_view value) {
        fmt::format_to(std::back_inserter(text_), "{}\"{}\":{}", text_.size() > 1 ? "," : "", name,
                       value);
        return *this;
    }

    std::string text_ = "{";
};

object_writer usage_object(const token_usage& u) {
    object_writer usage;
    usage.field("prompt", u.prompt)
        .field("cached", u.cached)
        .field("evaluated", u.evaluated)
        .field("generated", u.generated)
        .field("handed_over", u.handed_over)
        .field("heard", u.heard)
        .field("wasted", u.wasted);
    return usage;
}

void add_fault(object_writer& out, const error_code& ec, const diagnostics& d,
               const std::string& hint = {}) {
    const auto words = d.to_string();
    const auto message = words.empty() ? ec.message() : words;
    out.field("code", error_name(ec))
        .field("message", hint.empty() ? message : message + "; " + hint)
        .field("retryable", is_retryable(ec));
}

void add_outcome(object_writer& out, const end_event& e) {
    const auto& m = e.result.metrics;
    out.field("text", e.result.text);
    if (!e.result.unspoken_text.empty()) out.field("unspoken_text", e.result.unspoken_text);
    out.field("chunks", m.chunks)
        .field("usage", usage_object(e.result.usage))
        .field("first_chunk_ms", m.first_chunk_ms)
        .field("total_ms", m.total_ms)
        .field("guard_waits", m.guard_waits)
        .field("guard_wait_ms", m.guard_wait_ms)
        .field("requests", m.requests)
        .field("retries", 0)
        .field("t_ns", e.t_ns);
}

}  // namespace

std::string json_line(const chunk_event& e) {
    const auto& c = e.chunk;
    return object_writer("chunk")
        .where(e.where)
        .field("seq", c.id.seq)
        .field("text", c.text)
        .field("speech", c.speech)
        .field("boundary", to_string(c.boundary))
        .field("tokens", c.tokens)
        .field("slot", c.slot)
        .field("slot_reused", c.slot_reused)
        .field("cached", c.cached)
        .field("evaluated", c.evaluated)
        .field("guard_wait_ms", c.guard_wait_ms)
        .field("t_ns", e.t_ns)
        .line();
}

std::string json_line(const end_event& e) {
    const bool failed = e.result.finish_reason == finish_reason::error;
    object_writer out(failed ? "error" : "end");
    out.where(e.where);
    if (failed)
        add_fault(out, e.result.error, e.result.diagnostics, e.hint);
    else
        out.field("finish_reason", to_string(e.result.finish_reason));
    add_outcome(out, e);
    return out.line();
}

std::string json_line(const fault_event& e) {
    object_writer out("error");
    out.null("id").null("turn");
    add_fault(out, e.error, e.diagnostics);
    return out.field("t_ns", e.t_ns).line();
}

std::string json_line(const replay_summary& s) {
    object_writer tokens;
    tokens.field("generated", s.generated)
        .field("handed_over", s.handed_over)
        .field("wasted", s.wasted)
        .field("cached", s.cached)
        .field("evaluated", s.evaluated)
        .field("hit_ratio", s.cache_hit_ratio());
    object_writer first_chunk;
    first_chunk.field("p50", s.first_chunk_p50_ms)
        .field("p90", s.first_chunk_p90_ms)
        .field("max", s.first_chunk_max_ms);
    return object_writer("summary")
        .field("replies", s.replies)
        .field("complete", s.complete)
        .field("failed", s.failed)
        .field("interrupted", s.interrupted)
        .field("not_started", s.not_started)
        .field("chunks", s.chunks)
        .field("tokens", std::move(tokens))
        .field("guard_waits", s.guard_waits)
        .field("guard_wait_ms", s.guard_wait_ms)
        .field("first_chunk_ms", std::move(first_chunk))
        .field("total_ms", s.total_ms)
        .field("cpu_ms", s.cpu_ms)
        .field("cpu_us_per_token", s.cpu_us_per_token())
        .line();
}

}  // namespace tandem::command
