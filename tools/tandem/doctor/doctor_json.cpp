#include "doctor/doctor_report.hpp"
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
                object.raw("value", "null");
            else
                object.field("value", v);
        },
        value);
}

std::string check_json(const finding& f) {
    json_object object;
    object.field("name", f.name).field("status", status_name(f.status));
    add_value(object, f.value);
    return object.field("message", f.message).field("remedy", f.remedy).finish();
}

std::string use_json(const std::optional<cache_usage>& use) {
    if (!use) return "null";
    return json_object{}
        .field("cached_tokens", use->cached)
        .field("evaluated_tokens", use->evaluated)
        .finish();
}

std::string measurements_json(const doctor_facts& facts) {
    const auto& m = facts.measured.value;
    const auto& r = m.median;
    return json_object{}
        .field("rounds", m.rounds)
        .field("requests", m.requests)
        .raw("slots", fmt::format("[{}]", fmt::join(m.slots, ",")))
        .field("prompt_tokens", m.prompt_tokens)
        .field("round_trip_ms", facts.round_trip_ms)
        .field("first_token_cold_ms", r.first_token_cold_ms)
        .field("first_token_warm_ms", r.first_token_warm_ms)
        .field("prompt_tokens_per_second", r.prompt_tokens_per_second)
        .field("tokens_per_second", r.tokens_per_second)
        .field("cut_to_idle_ms", r.cut_to_idle_ms)
        .field("tokens_after_cut",
               r.tokens_after_cut < 0 ? std::nullopt : std::optional(r.tokens_after_cut))
        .raw("cache_same_slot", use_json(r.same_slot))
        .raw("cache_other_slot", use_json(r.other_slot))
        .raw("cache_prefilled_slot", use_json(r.prefilled_slot))
        .raw("cache_first_slot_again", use_json(r.first_slot_again))
        .raw("cache_after_change", use_json(r.after_change))
        .field("first_token_after_change_ms", r.first_token_after_change_ms)
        .finish();
}

std::string setting_json(const advised_setting& s) {
    return json_object{}
        .field("name", s.name)
        .field("value", s.value)
        .field("current", s.current.empty() ? std::nullopt : std::optional(s.current))
        .field("reason", s.reason)
        .finish();
}

std::string advice_json(const doctor_advice& advice) {
    return json_object{}
        .raw("tandem", json_list(advice.tandem, setting_json))
        .raw("llama_server", json_list(advice.llama_server, setting_json))
        .field("command", advice.command)
        .finish();
}

}  // namespace

std::string doctor_json(const doctor_report& report) {
    return json_object{}
        .field("url", report.facts.url)
        .field("good", report.is_usable())
        .field("stopped", report.facts.stopped)
        .raw("checks", json_list(report.findings, check_json))
        .raw("measurements", measurements_json(report.facts))
        .raw("advice", advice_json(report.advice))
        .line();
}

}  // namespace tandem::command
