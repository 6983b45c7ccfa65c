#include "wire/calls/json_calls.hpp"

#include "wire/json/json.hpp"
#include "wire/json/json_text.hpp"
#include "wire/json/json_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::wire {
namespace {

using std::string_view;
// A model writes parameters in the order of the schema.
using ordered_json = nlohmann::ordered_json;

/// Rebases the references in `schema` from the root to `place`.
void move_references(ordered_json& schema, const std::string& place) {
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
ordered_json define(ordered_json schema, const std::string& name, ordered_json& definitions) {
    const auto place = "#/$defs/" + name;
    move_references(schema, place);
    definitions[name] = std::move(schema);
    return {{"$ref", place}};
}

ordered_json parameters_of(const ordered_json& function) {
    const auto found = function.find("parameters");
    if (found != function.end() && found->is_object() && !found->empty()) return *found;
    return {{"type", "object"},
            {"properties", ordered_json::object()},
            {"additionalProperties", false}};
}

template <class Json>
std::string name_of(const Json& function) {
    const auto name = function.find("name");
    return name != function.end() && name->is_string() ? name->template get<std::string>()
                                                       : std::string();
}

ordered_json schema_of_call(const ordered_json& function, const std::string& place,
                            ordered_json& definitions) {
    ordered_json properties{{"name", {{"const", name_of(function)}}},
                            {"parameters", define(parameters_of(function), place, definitions)}};
    return {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", {"name", "parameters"}},
            {"additionalProperties", false}};
}

/// The functions with names.
std::vector<ordered_json> functions_in(string_view tools) {
    std::vector<ordered_json> functions;
    if (!is_list_of_objects(tools)) return functions;
    for (auto& tool : ordered_json::parse(tools)) {
        const auto function = tool.find("function");
        if (function != tool.end() && function->is_object() && !name_of(*function).empty())
            functions.push_back(std::move(*function));
    }
    return functions;
}

bool may_call(const generation_options& options, const std::string& name) {
    const auto& choice = options.tool_choice;
    return choice.empty() || choice == "auto" || choice == "required" || choice == name;
}

bool take(string_view& text, string_view word) noexcept {
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

}  // namespace

std::vector<std::string> read_function_names(string_view tools) {
    std::vector<std::string> names;
    for (const auto& function : functions_in(tools)) names.push_back(name_of(function));
    return names;
}

std::string make_call_schema(const generation_options& options) {
    auto definitions = ordered_json::object();
    auto ways = ordered_json::array();
    for (const auto& function : functions_in(options.tools))
        if (may_call(options, name_of(function)))
            ways.push_back(
                schema_of_call(function, fmt::format("call{}", ways.size()), definitions));
    if (!must_call(options))
        ways.push_back(define(ordered_json::parse(options.json_schema), "answer", definitions));
    ordered_json schema =
        ways.size() == 1 ? ways.front() : ordered_json{{"anyOf", std::move(ways)}};
    schema["$defs"] = std::move(definitions);
    return dump_json(schema);
}

std::optional<tool_call> decode_json_call(string_view text, const generation_options& options) {
    if (!is_json_object(text)) return std::nullopt;
    // An object that kept the order of its keys would take quadratic time.
    const auto object = json::parse(text);
    const auto name = name_of(object);
    const auto arguments = object.find("parameters");
    const auto names = read_function_names(options.tools);
    const bool is_known = std::ranges::find(names, name) != names.end() && may_call(options, name);
    if (!is_known || arguments == object.end() || !arguments->is_object()) return std::nullopt;
    return tool_call{.name = name, .arguments = arguments->dump()};
}

std::size_t find_channel_call(string_view reasoning) noexcept {
    const auto at = reasoning.rfind(channel_call_mark);
    if (at == string_view::npos) return at;
    auto before = reasoning.substr(0, at);
    for (const string_view word : {" ", "<|channel|>commentary", "<|start|>assistant"})
        if (before.ends_with(word)) before.remove_suffix(word.size());
    return before.size();
}

std::optional<tool_call> decode_channel_call(string_view reasoning) {
    const auto at = reasoning.rfind(channel_call_mark);
    if (at == string_view::npos) return std::nullopt;
    auto rest = reasoning.substr(at + channel_call_mark.size());
    const std::string name(rest.substr(0, rest.find_first_of(" <\n")));
    rest.remove_prefix(name.size());
    // The name may be followed by the channel and by the format of the arguments.
    for (const string_view word : {" ", "<|channel|>commentary", " ", "<|constrain|>", "json"})
        take(rest, word);
    if (name.empty() || !take(rest, "<|message|>")) return std::nullopt;
    const auto arguments = rest.substr(0, rest.find("<|call|>"));
    if (!is_json_object(arguments)) return std::nullopt;
    return tool_call{.name = name, .arguments = compact_json(arguments)};
}

}  // namespace tandem::wire
