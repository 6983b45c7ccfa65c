#include "gateway/requests/answer_schema.hpp"

#include "gateway/json/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

/// Rebases the references in `schema` from the root to `place`.
void move_references(json& schema, const std::string& place) {
    if (schema.is_object()) {
        const auto ref = schema.find("$ref");
        if (ref != schema.end() && ref->is_string()) {
            const auto& target = ref->get_ref<const std::string&>();
            if (target == "#" || target.starts_with("#/")) *ref = place + target.substr(1);
        }
    }
    if (schema.is_structured())
        for (auto& member : schema) move_references(member, place);
}

/// Moves `schema` to the definitions, and returns a reference to it.
json defined(json schema, const std::string& name, json& definitions) {
    const auto place = "#/$defs/" + name;
    move_references(schema, place);
    definitions[name] = std::move(schema);
    return {{"$ref", place}};
}

json schema_of_call(const callable& function, const std::string& name, json& definitions) {
    const bool takes_any = function.parameters && !function.parameters->empty();
    const json none{
        {"type", "object"}, {"properties", json::object()}, {"additionalProperties", false}};
    json properties{
        {"name", {{"const", function.name}}},
        {"parameters", defined(takes_any ? *function.parameters : none, name, definitions)}};
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", {"name", "parameters"}},
            {"additionalProperties", false}};
}

}  // namespace

std::string answer_schema(std::span<const callable> functions, const json* words) {
    json definitions = json::object();
    auto ways = json::array();
    for (const auto& f : functions)
        ways.push_back(schema_of_call(f, fmt::format("call{}", ways.size()), definitions));
    if (words) ways.push_back(defined(*words, "answer", definitions));
    json schema = ways.size() == 1 ? ways.front() : json{{"anyOf", std::move(ways)}};
    schema["$defs"] = std::move(definitions);
    return dump_json(schema);
}

}  // namespace tandem::gateway
