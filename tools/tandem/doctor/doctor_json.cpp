#include "doctor/doctor_json.hpp"

#include "text/json_object.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <type_traits>

namespace tandem::command {
namespace {

void add_value(json_object& object, const finding::value_type& value) {
    std::visit(
        [&]<class Value>(const Value& v) {
            if constexpr (std::is_same_v<Value, std::monostate>)
                object.null("value");
            else
                object.field("value", v);
        },
        value);
}

json_object check_object(const finding& f) {
    json_object object;
    object.field("name", f.name).field("status", status_name(f.status));
    add_value(object, f.value);
    object.field("message", f.message).field("remedy", f.remedy);
    return object;
}

void add_use(json_object& object, const char* name, const std::optional<cache_usage>& use) {
    if (!use) return void(object.null(name));
    json_object tokens;
    tokens.field("cached_tokens", use->cached).field("evaluated_tokens", use->evaluated);
    object.field(name, std::move(tokens));
}

void add_count(json_object& object, const char* name, int n) {
    if (n < 0)
        object.null(name);
    else
        object.field(name, n);
}

json_object measurements(const doctor_facts& facts) {
    const auto& m = facts.measured.value;
    const auto& r = m.median;
    json_object object;
    object.field("rounds", m.rounds)
        .field("requests", m.requests)
        .raw("slots", fmt::format("[{}]", fmt::join(m.slots, ",")))
        .field("prompt_tokens", m.prompt_tokens)
        .field("round_trip_ms", facts.round_trip_ms)
        .field("first_token_cold_ms", r.first_token_cold_ms)
        .field("first_token_warm_ms", r.first_token_warm_ms)
        .field("prompt_tokens_per_second", r.prompt_tokens_per_second)
        .field("tokens_per_second", r.tokens_per_second)
        .field("cut_to_idle_ms", r.cut_to_idle_ms);
    add_count(object, "tokens_after_cut", r.tokens_after_cut);
    add_use(object, "cache_same_slot", r.same_slot);
    add_use(object, "cache_other_slot", r.other_slot);
    add_use(object, "cache_prefilled_slot", r.prefilled_slot);
    add_use(object, "cache_first_slot_again", r.first_slot_again);
    add_use(object, "cache_after_change", r.after_change);
    object.field("first_token_after_change_ms", r.first_token_after_change_ms);
    return object;
}

json_object setting_object(const advised_setting& s) {
    json_object object;
    object.field("name", s.name).field("value", s.value);
    if (s.current.empty())
        object.null("current");
    else
        object.field("current", s.current);
    object.field("reason", s.reason);
    return object;
}

json_object advice_object(const doctor_advice& advice) {
    json_object object;
    object.raw("tandem", json_list(advice.tandem, setting_object))
        .raw("llama_server", json_list(advice.llama_server, setting_object))
        .field("command", advice.command);
    return object;
}

}  // namespace

std::string doctor_json(const doctor_report& report) {
    json_object object;
    return object.field("url", report.facts.url)
        .field("good", report.is_usable())
        .field("stopped", report.facts.stopped)
        .raw("checks", json_list(report.findings, check_object))
        .field("measurements", measurements(report.facts))
        .field("advice", advice_object(report.advice))
        .line();
}

}  // namespace tandem::command
