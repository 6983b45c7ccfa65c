#include "gateway/voice/voice_message_writer.hpp"

#include "gateway/json/cache_break_json.hpp"
#include "gateway/json/json_text.hpp"
#include "gateway/voice/voice_message_reader.hpp"
#include "gateway/voice/voice_protocol.hpp"
#include "wire/json/json_limits.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>
#include <vector>

namespace tandem::gateway {
namespace {

// Keeps the fields in the documented order.
using json = nlohmann::ordered_json;

bool is_worth_another_try(int status) noexcept {
    return status == 429 || status >= 502;
}

void add_error(json& out, const api_error& e, bool retryable) {
    out["code"] = e.code;
    out["message"] = e.message;
    out["retryable"] = retryable;
    if (!e.param.empty()) out["param"] = e.param;
    if (e.retry_after) out["retry_after_ms"] = to_ms(*e.retry_after);
}

void add_names(json& out, std::uint64_t reply, std::string_view turn) {
    out["reply"] = std::to_string(reply);
    if (!turn.empty()) out["turn"] = turn;
}

// Arguments that exceed these limits are sent as the text that the model wrote. `keys` bounds the
// time to build objects, which find keys by a linear search.
constexpr wire::json_limits argument_limits{.depth = 32, .values = 20'000, .keys = 128};

json arguments_of(const std::string& text) {
    if (wire::check_json(text, argument_limits) != wire::json_fault::none) return text;
    auto arguments = json::parse(text, nullptr, false);
    return arguments.is_object() ? arguments : json(text);
}

// Sums over all requests of the reply; token_usage::prompt covers only the first request.
json voice_usage(const reply_result& r, int heard_tokens) {
    const auto& u = r.usage;
    json out{{"prompt", u.prompt_tokens()},
             {"cached", u.cached},
             {"evaluated", u.evaluated},
             {"warmed", u.warmed},
             {"generated", u.generated},
             {"reasoning", u.reasoning},
             {"drafted", u.drafted},
             {"draft_wasted", u.draft_wasted},
             {"prefilled", u.prefilled},
             {"handed_over", u.handed_over},
             {"heard", u.heard + heard_tokens},
             {"wasted", u.wasted}};
    add_cache_break(out, r.cache_break);
    return out;
}

// The rounded parts add up to the rounded total.
json silence_of(const voice_timing& t) {
    json out{{"total", 0}};
    double total = 0;
    for_each_voice_part(t, [&](const char* name, duration part) {
        const auto ms = round_to_microseconds(to_ms(part));
        out[name] = ms;
        total += ms;
    });
    out["total"] = round_to_microseconds(total);
    return out;
}

json metrics_of(const slot_metrics& m, const std::optional<voice_timing>& silence) {
    json out{{"chunks", m.chunks},
             {"requests", m.requests},
             {"slot", m.slot},
             {"slot_reused", m.slot_reused},
             {"cuts", m.cuts},
             {"warmings", m.warmings},
             {"retries", m.retries},
             {"guard_waits", m.guard_waits},
             {"guard_wait_ms", round_to_microseconds(m.guard_wait_ms)},
             {"slot_wait_ms", round_to_microseconds(m.slot_wait_ms)},
             {"longest_gap_ms", round_to_microseconds(m.longest_gap_ms)},
             {"reasoning_ms", round_to_microseconds(m.reasoning_ms)},
             {"reasoning_cut", m.reasoning_cut},
             {"total_ms", round_to_microseconds(m.total_ms)}};
    if (m.first_chunk_ms >= 0) out["first_chunk_ms"] = round_to_microseconds(m.first_chunk_ms);
    if (m.draft_ms > 0) {
        out["draft_first_token_ms"] = round_to_microseconds(m.draft_first_token_ms);
        out["draft_ms"] = round_to_microseconds(m.draft_ms);
    }
    if (m.cancel_to_idle_ms > 0)
        out["cancel_to_idle_ms"] = round_to_microseconds(m.cancel_to_idle_ms);
    if (silence) out["voice_to_voice_ms"] = silence_of(*silence);
    return out;
}

json marks_of(const std::vector<speech_mark>& marks) {
    auto list = json::array();
    for (const auto& m : marks) {
        json mark{{"at", m.at}, {"tag", m.tag}};
        if (!m.label.empty()) mark["label"] = m.label;
        list.push_back(std::move(mark));
    }
    return list;
}

json timeline_of(const reply_result& r) {
    auto events = json::array();
    for (const auto& e : r.timeline) {
        json event{{"what", to_string(e.what)},
                   {"at_ms", round_to_microseconds(static_cast<double>(e.at_ns) / 1e6)}};
        if (e.slot >= 0) event["slot"] = e.slot;
        if (e.chunk >= 0) event["chunk"] = e.chunk;
        if (e.server >= 0) event["server"] = e.server;
        events.push_back(std::move(event));
    }
    return events;
}

void add_outcome(json& out, const voice_end& e) {
    out["text"] = std::string_view(e.result.text).substr(0, e.sent_bytes);
    out["usage"] = voice_usage(e.result, e.heard_tokens);
    out["metrics"] = metrics_of(e.result.metrics, e.silence);
    if (e.timeline) out["timeline"] = timeline_of(e.result);
}

}  // namespace

std::string encode_ready(const voice_ready& r) {
    json out{{"type", "ready"}, {"protocol", voice_protocol}, {"session", r.session}};
    if (!r.model.empty()) out["model"] = r.model;
    out["resumed"] = r.resumed;
    if (r.resumed) out["turns"] = r.turns;
    out["limits"] = {{"message_bytes", r.limits.message_bytes},
                     {"message_burst", r.limits.message_burst},
                     {"messages_per_second", r.limits.messages_per_second},
                     {"silence_ms", to_ms(r.limits.silence)},
                     {"session_kept_ms", to_ms(r.limits.session_kept)},
                     {"call_timeout_ms", to_ms(r.limits.call_timeout)},
                     {"resume_grace_ms", to_ms(r.resume_grace)},
                     {"continue_timeout_ms", to_ms(r.continue_timeout)}};
    return dump_json(out);
}

std::string encode_chunk(std::uint64_t reply, std::string_view turn, const chunk& c,
                         bool is_filler) {
    json out{{"type", "chunk"}, {"id", to_string(client_chunk_id{reply, c.id.seq})}};
    add_names(out, reply, turn);
    out.update(json{{"seq", c.id.seq},
                    {"text", c.text},
                    {"speech", c.speech},
                    {"boundary", to_string(c.boundary)},
                    {"tokens", c.tokens},
                    {"gap_ms", round_to_microseconds(c.metrics.gap_ms)},
                    {"slot", c.metrics.slot},
                    {"slot_reused", c.metrics.slot_reused},
                    {"cached", c.metrics.cached},
                    {"evaluated", c.metrics.evaluated},
                    {"guard_wait_ms", round_to_microseconds(c.metrics.guard_wait_ms)}});
    if (!c.language.empty()) out["language"] = c.language;
    if (!c.marks.empty()) out["marks"] = marks_of(c.marks);
    if (is_filler) out["filler"] = true;
    if (c.early) out["early"] = true;
    if (c.boundary == boundary::end) out["last"] = true;
    return dump_json(out);
}

std::string encode_call(const voice_call& c) {
    json out{{"type", "call"}};
    add_names(out, c.reply, c.turn);
    out.update(json{
        {"id", c.call.id}, {"name", c.call.name}, {"arguments", arguments_of(c.call.arguments)}});
    if (c.after) out["after"] = to_string(client_chunk_id{c.reply, *c.after});
    return dump_json(out);
}

std::string encode_call_dropped(const voice_dropped_call& c) {
    json out{{"type", "call_dropped"}};
    add_names(out, c.reply, c.turn);
    out["call"] = c.call;
    const bool is_late = c.why == call_drop_reason::timeout;
    out["reason"] = is_late ? "timeout" : "interrupted";
    if (is_late)
        out["message"] = fmt::format(
            "no result for the call \"{}\" came within {} ms (call_timeout_ms); answer every call, "
            "with \"later\":true first if the function takes longer",
            c.call, to_ms(c.timeout));
    return dump_json(out);
}

std::string encode_draft_skipped(std::string_view turn, std::string_view reason) {
    json out{{"type", "draft_skipped"}, {"reason", reason}};
    if (!turn.empty()) out["turn"] = turn;
    return dump_json(out);
}

std::string encode_end(const voice_end& e) {
    const auto& r = e.result;
    // The reply has not begun, so it has no text and no usage.
    if (r.error == errc::nothing_to_resume)
        return encode_error({.why = to_api_error(r.error, r.diagnostics),
                             .reply = e.reply,
                             .turn = std::string(e.turn)});
    const bool failed = r.finish_reason == finish_reason::error;
    json out{{"type", failed ? "error" : "end"}};
    add_names(out, e.reply, e.turn);
    if (failed)
        add_error(out, to_api_error(r.error, r.diagnostics), is_retryable(r.error));
    else
        out["finish_reason"] = to_string(r.finish_reason);
    add_outcome(out, e);
    return dump_json(out);
}

std::string encode_error(const voice_error& e) {
    json out{{"type", "error"}};
    if (e.reply) out["reply"] = std::to_string(*e.reply);
    if (!e.turn.empty()) out["turn"] = e.turn;
    if (!e.call.empty()) out["call"] = e.call;
    add_error(out, e.why, is_worth_another_try(e.why.status));
    if (e.fatal) out["fatal"] = true;
    return dump_json(out);
}

}  // namespace tandem::gateway
