#include "gateway/requests/request_constraints.hpp"

#include "gateway/json/json_text.hpp"
#include "gateway/requests/answer_schema.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

/// Far above OpenAI's limit; most requests reach the library's limit on their bytes first.
constexpr std::size_t max_tools = 1'024;

/// The tools and tool_choice of a request. Pointers refer to its body.
struct wanted_calls {
    std::vector<callable> functions{};
    bool may_call = true;
    bool must_call = false;
};

bool read_function(field_reader& fields, const json& tool, const std::string& at,
                   std::vector<callable>& out) {
    const auto path = append_path(at, "function");
    const auto* function = field_reader::find(tool, "function");
    if (!function) return fields.missing(path);
    if (!function->is_object()) return fields.fail_wrong_type(*function, path, "an object");
    callable c;
    if (!fields.require(*function, path, "name", c.name)) return false;
    if (c.name.empty()) return fields.invalid(append_path(path, "name"), "is empty");
    c.parameters = field_reader::find(*function, "parameters");
    if (c.parameters && !c.parameters->is_object())
        return fields.fail_wrong_type(*c.parameters, append_path(path, "parameters"), "an object");
    out.push_back(std::move(c));
    return true;
}

bool read_tool(field_reader& fields, const json& tool, const std::string& at,
               std::vector<callable>& out) {
    if (!tool.is_object()) return fields.fail_wrong_type(tool, at, "an object");
    std::string type = "function";
    if (!fields.read(tool, at, "type", type)) return false;
    if (type != "function")
        return fields.unsupported(
            append_path(at, "type"),
            fmt::format(R"(is "{}"; only "function" is supported)", quote_text(type)));
    return read_function(fields, tool, at, out);
}

bool read_functions(field_reader& fields, const json& tools, const std::string& at,
                    std::vector<callable>& out) {
    if (!tools.is_array()) return fields.fail_wrong_type(tools, at, "a list");
    if (tools.size() > max_tools)
        return fields.invalid(
            at, fmt::format("has {} items; the maximum is {}", tools.size(), max_tools));
    for (std::size_t i = 0; i < tools.size(); ++i)
        if (!read_tool(fields, tools[i], append_path(at, i), out)) return false;
    return true;
}

bool read_tools(field_reader& fields, const json& body, wanted_calls& out) {
    const auto* tools = field_reader::find(body, "tools");
    return !tools || read_functions(fields, *tools, "tools", out.functions);
}

/// Keeps only the function of that name.
bool choose_function(field_reader& fields, const json& choice, wanted_calls& out) {
    constexpr auto path = "tool_choice.function";
    const auto* function = field_reader::find(choice, "function");
    if (!function) return fields.missing(path);
    if (!function->is_object()) return fields.fail_wrong_type(*function, path, "an object");
    std::string name;
    if (!fields.require(*function, path, "name", name)) return false;
    const auto is_it = [&](const callable& c) { return c.name == name; };
    const auto found = std::find_if(out.functions.begin(), out.functions.end(), is_it);
    if (found == out.functions.end())
        return fields.invalid(
            "tool_choice.function.name",
            fmt::format("is \"{}\", which is not one of tools", quote_text(name)));
    out.functions = {*found};
    out.must_call = true;
    return true;
}

bool read_named_choice(field_reader& fields, const json& choice, wanted_calls& out) {
    if (!choice.is_object())
        return fields.fail_wrong_type(choice, "tool_choice", "a string or an object");
    std::string type = "function";
    if (!fields.read(choice, "tool_choice", "type", type)) return false;
    if (type == "function") return choose_function(fields, choice, out);
    return fields.unsupported(
        "tool_choice.type",
        fmt::format(R"(is "{}"; only "function" is supported)", quote_text(type)));
}

bool read_tool_choice(field_reader& fields, const json& body, wanted_calls& out) {
    const auto* choice = field_reader::find(body, "tool_choice");
    if (!choice || *choice == "auto") return true;
    out.may_call = *choice != "none";
    if (!out.may_call) return true;
    if (out.functions.empty())
        return fields.invalid("tool_choice", "requires a call, but there are no tools");
    out.must_call = *choice == "required";
    if (out.must_call) return true;
    if (!choice->is_string()) return read_named_choice(fields, *choice, out);
    return fields.invalid("tool_choice",
                          R"(must be "none", "auto", "required", or name a function)");
}

/// `types` is the `type` of a schema: one type or a list.
bool names_type(const json& types, const char* type) {
    const auto is_it = [&](const json& one) { return one == type; };
    return is_it(types) || (types.is_array() && std::ranges::any_of(types, is_it));
}

/// Only for lists of strings: if a list contains numbers, a number may be meant.
bool lists_type(const json& values, std::string_view type) {
    const auto is_text_or_null = [](const json& v) { return v.is_string() || v.is_null(); };
    const auto is_it = [&](const json& v) { return std::string_view(v.type_name()) == type; };
    return values.is_array() && std::ranges::all_of(values, is_text_or_null) &&
           std::ranges::any_of(values, is_it);
}

/// Whether the schema allows values of `type`, "string" or "null".
bool allows_type(const json& schema, const char* type) {
    if (!schema.is_object()) return false;
    if (const auto* types = field_reader::find(schema, "type")) return names_type(*types, type);
    const auto allows_it = [&](const json& way) { return allows_type(way, type); };
    for (const char* key : {"anyOf", "oneOf"}) {
        const auto* ways = field_reader::find(schema, key);
        if (ways && ways->is_array() && std::ranges::any_of(*ways, allows_it)) return true;
    }
    const auto* values = field_reader::find(schema, "enum");
    return values && lists_type(*values, type);
}

void add_texts(const callable& function, text_parameters& out) {
    const auto* properties =
        function.parameters ? field_reader::find(*function.parameters, "properties") : nullptr;
    if (!properties || !properties->is_object()) return;
    for (const auto& parameter : properties->items())
        if (allows_type(parameter.value(), "string"))
            out.push_back({.function = function.name,
                           .name = parameter.key(),
                           .may_be_null = allows_type(parameter.value(), "null")});
}

/// The schema in `format`; without one, a schema for any object.
bool read_schema(field_reader& fields, const json& format, const std::string& at, json& out) {
    out = {{"type", "object"}};
    const auto* schema = field_reader::find(format, "schema");
    if (!schema) return true;
    if (!schema->is_object())
        return fields.fail_wrong_type(*schema, append_path(at, "schema"), "an object");
    if (!schema->empty()) out = *schema;
    return true;
}

/// `out` stays null if the answer may be any text.
bool read_response_format(field_reader& fields, const json& body, json& out) {
    const std::string at = "response_format";
    const auto* format = field_reader::find(body, at);
    if (!format) return true;
    if (!format->is_object()) return fields.fail_wrong_type(*format, at, "an object");
    std::string type;
    if (!fields.require(*format, at, "type", type)) return false;
    if (type == "text") return true;
    // Some servers accept a schema here, too.
    if (type == "json_object") return read_schema(fields, *format, at, out);
    const auto path = append_path(at, "json_schema");
    if (type != "json_schema")
        return fields.unsupported(append_path(at, "type"),
                                  fmt::format("is \"{}\"; it must be text, json_object or "
                                              "json_schema",
                                              quote_text(type)));
    const auto* wrapper = field_reader::find(*format, "json_schema");
    if (!wrapper) return fields.missing(path);
    if (!wrapper->is_object()) return fields.fail_wrong_type(*wrapper, path, "an object");
    return read_schema(fields, *wrapper, path, out);
}

/// The required form of the text: at most one of the members is set.
struct wanted_form {
    std::string grammar{};
    /// Null if any text is allowed.
    json schema{};
};

bool read_form(field_reader& fields, const json& body, wanted_form& out) {
    const bool is_read = fields.read(body, "", "grammar", out.grammar) &&
                         read_response_format(fields, body, out.schema);
    if (!is_read) return false;
    if (const auto* schema = field_reader::find(body, "json_schema")) {
        if (!schema->is_object())
            return fields.fail_wrong_type(*schema, "json_schema", "an object");
        if (!out.schema.is_null())
            return fields.invalid("json_schema", "cannot be combined with response_format");
        out.schema = *schema;
    }
    if (out.grammar.empty() || out.schema.is_null()) return true;
    return fields.invalid("grammar", "cannot be combined with a JSON schema");
}

void set_form(std::string grammar, std::string schema, generation_options& out) {
    if (grammar.empty() && schema.empty()) return;
    out.grammar = std::move(grammar);
    out.json_schema = std::move(schema);
}

/// If calls are optional, the answer is constrained only if a format is requested.
std::string schema_of(const wanted_calls& calls, const json& format) {
    if (calls.must_call) return answer_schema(calls.functions, nullptr);
    if (format.is_null()) return {};
    return calls.functions.empty() ? dump_json(format) : answer_schema(calls.functions, &format);
}

}  // namespace

bool read_constraints(field_reader& fields, const json& body, chat_request& out) {
    wanted_calls calls;
    wanted_form form;
    const bool is_read = read_tools(fields, body, calls) && read_tool_choice(fields, body, calls) &&
                         read_form(fields, body, form) &&
                         fields.read(body, "", "parallel_tool_calls", out.parallel_tool_calls);
    if (!is_read) return false;
    if (!calls.may_call) calls.functions.clear();
    out.options.tools = calls.functions.empty() ? "" : dump_json(body["tools"]);
    for (const auto& f : calls.functions) {
        out.functions.push_back(f.name);
        add_texts(f, out.texts);
    }
    if (calls.must_call && !form.grammar.empty())
        return fields.invalid("grammar",
                              "cannot be combined with a tool_choice that requires a call");
    set_form(std::move(form.grammar), schema_of(calls, form.schema), out.options);
    return true;
}

bool check_tools(field_reader& fields, const json& tools, const std::string& at) {
    std::vector<callable> ignored;
    return read_functions(fields, tools, at, ignored);
}

bool read_text_form(field_reader& fields, const json& body, generation_options& out) {
    wanted_form form;
    if (!read_form(fields, body, form)) return false;
    set_form(std::move(form.grammar), form.schema.is_null() ? "" : dump_json(form.schema), out);
    return true;
}

}  // namespace tandem::gateway
