#include "gateway/traces/otlp_json.hpp"

#include "gateway/json/json_text.hpp"
#include "wire/stream/sanitize_server_text.hpp"

#include "tandem/version.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

struct value_encoder {
    json operator()(bool value) const { return {{"boolValue", value}}; }
    // In protobuf's JSON, 64-bit numbers are strings.
    json operator()(std::int64_t value) const { return {{"intValue", std::to_string(value)}}; }
    json operator()(double value) const { return {{"doubleValue", value}}; }
    json operator()(const std::string& value) const { return {{"stringValue", value}}; }
    json operator()(const std::vector<std::string>& values) const {
        auto list = json::array();
        for (const auto& v : values) list.push_back({{"stringValue", v}});
        return {{"arrayValue", {{"values", std::move(list)}}}};
    }
};

json encode(const attribute_list& attributes) {
    auto list = json::array();
    for (const auto& [key, value] : attributes)
        list.push_back({{"key", key}, {"value", std::visit(value_encoder(), value)}});
    return list;
}

json encode(const span_event& e) {
    return {{"timeUnixNano", std::to_string(e.unix_ns)},
            {"name", e.name},
            {"attributes", encode(e.attributes)}};
}

}  // namespace

std::string encode_span(const gateway::span& s) {
    constexpr int error_code = 2;
    json out{{"traceId", s.trace}, {"spanId", s.id}};
    if (!s.parent.empty()) out["parentSpanId"] = s.parent;
    out["name"] = s.name;
    out["kind"] = static_cast<int>(s.what);
    out["startTimeUnixNano"] = std::to_string(s.began_unix_ns);
    out["endTimeUnixNano"] = std::to_string(s.ended_unix_ns);
    auto attributes = s.attributes;
    if (!s.error.empty()) {
        attributes.emplace_back("error.type", s.error);
        out["status"] = {{"code", error_code}, {"message", s.error}};
    }
    out["attributes"] = encode(attributes);
    auto events = json::array();
    for (const auto& e : s.events) events.push_back(encode(e));
    out["events"] = std::move(events);
    if (s.dropped_events > 0) out["droppedEventsCount"] = s.dropped_events;
    return dump_json(out);
}

std::string encode_export(std::string_view spans) {
    return fmt::format(
        R"({{"resourceSpans":[{{"resource":{{"attributes":[)"
        R"({{"key":"service.name","value":{{"stringValue":"tandem"}}}},)"
        R"({{"key":"service.version","value":{{"stringValue":"{0}"}}}}]}},)"
        R"("scopeSpans":[{{"scope":{{"name":"tandem","version":"{0}"}},"spans":[{1}]}}]}}]}})",
        TANDEM_VERSION_STRING, spans);
}

bool export_answer::is_retryable() const noexcept {
    constexpr std::array busy{0, 429, 502, 503, 504};
    return std::ranges::find(busy, status) != busy.end();
}

std::string find_rejection(const export_answer& answer) {
    const auto root = json::parse(answer.body, nullptr, false);
    if (!root.is_object()) return {};
    const auto partial = root.find("partialSuccess");
    if (partial == root.end() || !partial->is_object()) return {};
    const auto rejected = partial->find("rejectedSpans");
    if (rejected == partial->end()) return {};
    const auto count = rejected->is_string() ? rejected->get<std::string>() : rejected->dump();
    if (count == "0") return {};
    const auto why = partial->find("errorMessage");
    const auto text = why != partial->end() && why->is_string() ? why->get<std::string>() : "";
    return fmt::format("the collector rejected {} spans: {}", wire::sanitize_server_text(count),
                       wire::sanitize_server_text(text));
}

}  // namespace tandem::gateway
