#include "wire/calls/tool_call_formats.hpp"

#include "text/characters/white_space.hpp"
#include "wire/calls/server_messages.hpp"
#include "wire/calls/tool_call_reader.hpp"
#include "wire/json/dump_json.hpp"
#include "wire/json/json.hpp"
#include "wire/json/json_limits.hpp"
#include "wire/json/json_text.hpp"
#include "wire/json/json_values.hpp"
#include "wire/json/wire_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <utility>

namespace tandem::wire {
namespace {

using std::string_view;
// Keeps the order of the keys, because a model writes parameters in the order of the schema.
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

/// The functions that have a name.
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

/// The end of the object at the start of `text`; npos if the object is incomplete.
std::size_t end_of_object(string_view text) noexcept {
    std::size_t depth = 0;
    bool is_quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (is_quoted && c == '\\') ++i;
        if (c == '"') is_quoted = !is_quoted;
        if (is_quoted) continue;
        if (c == '{') ++depth;
        if (c == '}' && --depth == 0) return i + 1;
    }
    return string_view::npos;
}

/// The function that `text` names last; null if it names none.
const ordered_json* find_named_function(string_view text,
                                        const std::vector<ordered_json>& functions) {
    const auto is_of_name = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
    };
    while (!text.empty()) {
        const auto end = std::find_if(text.rbegin(), text.rend(), is_of_name);
        const auto begin = std::find_if_not(end, text.rend(), is_of_name);
        const string_view word(begin.base(), end.base());
        const auto found = std::ranges::find(functions, word, name_of<ordered_json>);
        if (found != functions.end()) return &*found;
        text = string_view(text.begin(), begin.base());
    }
    return nullptr;
}

/// Whether the arguments have all required parameters, and only parameters of the function.
bool are_arguments_of(const json& arguments, const ordered_json& function) {
    const auto parameters = parameters_of(function);
    const auto required = parameters.value("required", ordered_json::array());
    const auto properties = parameters.value("properties", ordered_json::object());
    return std::ranges::all_of(required,
                               [&](const auto& name) {
                                   return name.is_string() &&
                                          arguments.contains(name.template get<std::string>());
                               }) &&
           std::ranges::all_of(arguments.items(), [&](const auto& argument) {
               return properties.contains(argument.key());
           });
}

const json* find_member(const json& object, std::initializer_list<const char*> names) {
    for (const auto* const name : names)
        if (const auto found = object.find(name); found != object.end()) return &*found;
    return nullptr;
}

/// The call in `object`, which is either the whole call or only its arguments. In the latter case,
/// `before`, the text before the object, must name the function last.
std::optional<tool_call> read_json_call(string_view before, const json& object,
                                        const std::vector<ordered_json>& functions) {
    const auto* const name = find_member(object, {"name", "tool_name"});
    const auto* const arguments = find_member(object, {"arguments", "parameters"});
    if (name && name->is_string() && arguments && arguments->is_object()) {
        const auto found = std::ranges::find(functions, name->get_ref<const std::string&>(),
                                             name_of<ordered_json>);
        if (found == functions.end()) return std::nullopt;
        return tool_call{.name = name_of(*found), .arguments = arguments->dump()};
    }
    const auto* const function = find_named_function(before, functions);
    if (!function || !are_arguments_of(object, *function)) return std::nullopt;
    return tool_call{.name = name_of(*function), .arguments = object.dump()};
}

/// Removes the text through `end`, and returns the part before it; nullopt if there is no `end`.
std::optional<string_view> take_until(string_view& text, string_view end) noexcept {
    const auto at = text.find(end);
    if (at == string_view::npos) return std::nullopt;
    const auto before = text.substr(0, at);
    text.remove_prefix(at + end.size());
    return before;
}

/// Whether the schema of an argument allows strings.
bool allows_text(const ordered_json& schema) {
    if (!schema.is_object()) return schema == "string";
    for (const auto* key : {"anyOf", "oneOf"})
        if (const auto ways = schema.find(key); ways != schema.end())
            return std::ranges::any_of(*ways, allows_text);
    const auto is_text = [](const ordered_json& value) { return value.is_string(); };
    if (const auto values = schema.find("enum"); values != schema.end())
        return std::ranges::any_of(*values, is_text);
    if (const auto value = schema.find("const"); value != schema.end()) return is_text(*value);
    const auto type = schema.value("type", ordered_json());
    const auto is_named = [](const ordered_json& name) { return name == "string"; };
    return is_named(type) || (type.is_array() && std::ranges::any_of(type, is_named));
}

/// Reads an argument: as a string if its type allows strings or `value` is not JSON, otherwise as
/// JSON.
json read_argument(string_view value, const ordered_json& property) {
    constexpr json_limits bounds{.depth = max_depth, .values = max_answer_values};
    if (allows_text(property) || check_json(value, bounds) != json_fault::none)
        return std::string(value);
    return json::parse(value);
}

/// Reads a call after `<` + prefix + `invoke name="`, and removes it from the text.
std::optional<tool_call> take_invoked_call(string_view& text, const std::string& prefix,
                                           const std::vector<ordered_json>& functions) {
    const auto begin = "<" + prefix + "parameter name=\"";
    const auto end = "</" + prefix + "parameter>";
    const auto name = take_until(text, "\">");
    const auto function = std::ranges::find(functions, name.value_or(""), name_of<ordered_json>);
    if (function == functions.end()) return std::nullopt;
    const auto properties = parameters_of(*function).value("properties", ordered_json::object());
    auto arguments = json::object();
    while (take(text = text::trim_leading_space(text), begin)) {
        const auto key = take_until(text, "\">");
        const auto value = key ? take_until(text, end) : std::nullopt;
        if (!value) return std::nullopt;
        const auto property = properties.find(std::string(*key));
        if (property == properties.end()) return std::nullopt;
        arguments[std::string(*key)] = read_argument(*value, *property);
    }
    const bool is_whole = take(text, "</" + prefix + "invoke>");
    if (!is_whole || !are_arguments_of(arguments, *function)) return std::nullopt;
    return tool_call{.name = name_of(*function), .arguments = dump_json(arguments)};
}

/// Whether `calls`, whose arguments are from dump_json(), contain each of `others`, regardless of
/// ids. Arguments may be long, so they are parsed only once.
bool contains_calls(const std::vector<tool_call>& calls, const std::vector<tool_call>& others) {
    return std::ranges::all_of(others, [&](const tool_call& other) {
        if (!is_json_object(other.arguments)) return false;
        const tool_call wanted{.name = other.name,
                               .arguments = dump_json(json::parse(other.arguments))};
        return std::ranges::find(calls, wanted) != calls.end();
    });
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

std::optional<tool_call> decode_json_tool_call(string_view text,
                                               const generation_options& options) {
    if (!is_json_object(text)) return std::nullopt;
    // Parsing into an object that keeps the order of its keys would take quadratic time.
    const auto object = json::parse(text);
    const auto name = name_of(object);
    const auto arguments = object.find("parameters");
    const auto names = read_function_names(options.tools);
    const bool is_known = std::ranges::find(names, name) != names.end() && may_call(options, name);
    if (!is_known || arguments == object.end() || !arguments->is_object()) return std::nullopt;
    // Takes the arguments as the model wrote them, so that they equal those in a stream of the
    // call.
    const std::string as_written(tool_call_reader().read(text).arguments);
    return tool_call{.name = name,
                     .arguments = as_written.empty() ? arguments->dump() : as_written};
}

std::vector<tool_call> find_json_tool_calls(string_view text, const generation_options& options) {
    const auto functions = functions_in(options.tools);
    std::vector<tool_call> calls;
    for (auto at = text.find('{'); at != string_view::npos; at = text.find('{')) {
        const auto object = text.substr(at, end_of_object(text.substr(at)));
        if (!is_json_object(object) || calls.size() == max_calls_of_a_reply) return {};
        auto call = read_json_call(text.substr(0, at), json::parse(object), functions);
        if (!call || !may_call(options, call->name)) return {};
        calls.push_back(*std::move(call));
        text.remove_prefix(at + object.size());
    }
    return calls;
}

std::vector<tool_call> find_invoke_element_calls(string_view text,
                                                 const generation_options& options) {
    constexpr string_view invoke = "invoke name=\"";
    constexpr std::size_t max_prefix = 32;
    const auto functions = functions_in(options.tools);
    std::vector<tool_call> calls;
    while (const auto before = take_until(text, invoke)) {
        const auto at = before->rfind('<');
        const bool is_tag = at != string_view::npos && before->size() - at <= max_prefix;
        if (!is_tag || calls.size() == max_calls_of_a_reply) return {};
        auto call = take_invoked_call(text, std::string(before->substr(at + 1)), functions);
        if (!call || !may_call(options, call->name)) return {};
        calls.push_back(*std::move(call));
    }
    return calls;
}

std::vector<tool_call> correct_parsed_calls(std::vector<tool_call> parsed, string_view text,
                                            const generation_options& options) {
    if (parsed.empty()) parsed = find_json_tool_calls(text, options);
    auto invoked = find_invoke_element_calls(text, options);
    const bool has_more = invoked.size() > parsed.size() && contains_calls(invoked, parsed);
    return has_more ? invoked : parsed;
}

std::size_t find_gpt_oss_call(string_view reasoning) noexcept {
    const auto at = reasoning.rfind(channel_call_mark);
    if (at == string_view::npos) return at;
    auto before = reasoning.substr(0, at);
    for (const string_view word : {" ", "<|channel|>commentary", "<|start|>assistant"})
        if (before.ends_with(word)) before.remove_suffix(word.size());
    return before.size();
}

std::optional<tool_call> decode_gpt_oss_call(string_view reasoning) {
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
    // Parsing an object while keeping the order of its keys takes quadratic time.
    constexpr json_limits bounds{.depth = max_depth, .values = max_answer_values, .keys = 1024};
    const bool is_narrow = check_json(arguments, bounds) == json_fault::none;
    return tool_call{.name = name,
                     .arguments = is_narrow ? compact_json(arguments) : std::string(arguments)};
}

}  // namespace tandem::wire
