#include "gateway/requests/request_constraints.hpp"

#include "gateway/json/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

/// Far above OpenAI's limit. Most requests with so many tools exceed the library's limit on bytes.
constexpr std::size_t max_tools = 1'024;

void drop_null_fields(json& object) {
    for (auto field = object.begin(); field != object.end();)
        field = field->is_null() ? object.erase(field) : std::next(field);
}

bool read_function_name(field_reader& fields, const json& tool, const std::string& at,
                        std::vector<std::string>& out) {
    const auto path = append_path(at, "function");
    const auto* function = field_reader::find(tool, "function");
    if (!function) return fields.fail_missing(path);
    if (!function->is_object()) return fields.fail_wrong_type(*function, path, "an object");
    std::string name;
    if (!fields.read_required(*function, path, "name", name)) return false;
    if (name.empty()) return fields.fail_invalid(append_path(path, "name"), "is empty");
    const auto* parameters = field_reader::find(*function, "parameters");
    if (parameters && !parameters->is_object())
        return fields.fail_wrong_type(*parameters, append_path(path, "parameters"), "an object");
    out.push_back(std::move(name));
    return true;
}

bool check_type(field_reader& fields, const json& object, const std::string& at) {
    std::string type = "function";
    if (!fields.read(object, at, "type", type)) return false;
    return type == "function" ||
           fields.fail_unsupported(
               append_path(at, "type"),
               fmt::format(R"(is "{}"; only "function" is supported)", quote_text(type)));
}

bool read_tool(field_reader& fields, const json& tool, const std::string& at,
               std::vector<std::string>& out) {
    if (!tool.is_object()) return fields.fail_wrong_type(tool, at, "an object");
    return check_type(fields, tool, at) && read_function_name(fields, tool, at, out);
}

bool read_functions(field_reader& fields, const json& tools, const std::string& at,
                    std::vector<std::string>& out) {
    if (!tools.is_array()) return fields.fail_wrong_type(tools, at, "a list");
    if (tools.size() > max_tools)
        return fields.fail_invalid(
            at, fmt::format("has {} items; the maximum is {}", tools.size(), max_tools));
    for (std::size_t i = 0; i < tools.size(); ++i)
        if (!read_tool(fields, tools[i], append_path(at, i), out)) return false;
    return true;
}

/// Whether `choice` is a mode rather than the name of a function.
bool is_mode(std::string_view choice) noexcept {
    return choice == "auto" || choice == "none" || choice == "required";
}

bool read_named_choice(field_reader& fields, const json& choice, const std::string& at,
                       std::string& out) {
    if (!choice.is_object()) return fields.fail_wrong_type(choice, at, "a string or an object");
    if (!check_type(fields, choice, at)) return false;
    const auto path = append_path(at, "function");
    const auto* function = field_reader::find(choice, "function");
    if (!function) return fields.fail_missing(path);
    if (!function->is_object()) return fields.fail_wrong_type(*function, path, "an object");
    if (!fields.read_required(*function, path, "name", out)) return false;
    return !is_mode(out) || fields.fail_unsupported(append_path(path, "name"),
                                                    fmt::format("is \"{}\", which is a mode", out));
}

bool check_named_function(field_reader& fields, const std::string& name,
                          const std::vector<std::string>& functions) {
    if (std::ranges::find(functions, name) != functions.end()) return true;
    return fields.fail_invalid(
        "tool_choice.function.name",
        fmt::format("is \"{}\", which is not one of tools", quote_text(name)));
}

/// Reads `tools` and `tool_choice` into `out`.
bool read_tools(field_reader& fields, const json& body, generation_options& out) {
    // Removes the gateway's default functions, which are for clients that cannot declare their own.
    out.tools.clear();
    out.tool_choice.clear();
    out.parallel_tool_calls = true;
    std::vector<std::string> functions;
    const auto* tools = field_reader::find(body, "tools");
    if (tools && !read_functions(fields, *tools, "tools", functions)) return false;
    if (!functions.empty()) out.tools = serialize_tools(*tools);
    const auto* choice = field_reader::find(body, "tool_choice");
    if (!choice) return true;
    if (!read_tool_choice(fields, *choice, "tool_choice", out.tool_choice)) return false;
    const bool is_required = out.tool_choice != "auto" && out.tool_choice != "none";
    if (is_required && functions.empty())
        return fields.fail_invalid("tool_choice", "requires a call, but there are no tools");
    return !choice->is_object() || check_named_function(fields, out.tool_choice, functions);
}

/// Reads the schema in `format`; without one, uses a schema for any object.
bool read_schema(field_reader& fields, const json& format, const std::string& at, json& out) {
    out = {{"type", "object"}};
    const auto* schema = field_reader::find(format, "schema");
    if (!schema) return true;
    if (!schema->is_object())
        return fields.fail_wrong_type(*schema, append_path(at, "schema"), "an object");
    if (!schema->empty()) out = *schema;
    return true;
}

/// The required form of the text: at most one of the members is set.
struct wanted_form {
    std::string grammar{};
    /// Null if any text is allowed.
    json schema{};
};

bool read_form(field_reader& fields, const json& body, wanted_form& out) {
    if (!fields.read(body, "", "grammar", out.grammar)) return false;
    const auto* format = field_reader::find(body, "response_format");
    if (format && !read_response_format(fields, *format, "response_format", out.schema))
        return false;
    if (const auto* schema = field_reader::find(body, "json_schema")) {
        if (!schema->is_object())
            return fields.fail_wrong_type(*schema, "json_schema", "an object");
        if (!out.schema.is_null())
            return fields.fail_invalid("json_schema", "cannot be combined with response_format");
        out.schema = *schema;
    }
    if (out.grammar.empty() || out.schema.is_null()) return true;
    return fields.fail_invalid("grammar", "cannot be combined with a JSON schema");
}

}  // namespace

bool read_constraints(field_reader& fields, const json& body, chat_request& out) {
    auto& options = out.options;
    return read_tools(fields, body, options) && read_text_constraints(fields, body, options) &&
           fields.read(body, "", "parallel_tool_calls", options.parallel_tool_calls);
}

bool check_tools(field_reader& fields, const json& tools, const std::string& at) {
    std::vector<std::string> ignored;
    return read_functions(fields, tools, at, ignored);
}

std::string serialize_tools(json tools) {
    for (auto& tool : tools) {
        drop_null_fields(tool);
        drop_null_fields(tool["function"]);
    }
    return tools.empty() ? std::string() : dump_json(tools);
}

bool read_tool_choice(field_reader& fields, const json& choice, const std::string& at,
                      std::string& out) {
    if (!choice.is_string()) return read_named_choice(fields, choice, at, out);
    out = choice.get<std::string>();
    if (is_mode(out)) return true;
    return fields.fail_invalid(
        at, fmt::format(R"(is "{0}"; it must be auto, none, required or, for a function, )"
                        R"({{"type":"function","function":{{"name":"{0}"}}}})",
                        quote_text(out)));
}

bool read_response_format(field_reader& fields, const json& format, const std::string& at,
                          json& out) {
    if (!format.is_object()) return fields.fail_wrong_type(format, at, "an object");
    std::string type;
    if (!fields.read_required(format, at, "type", type)) return false;
    if (type == "text") return true;
    // Some servers accept a schema with this type, too, so clients may send one.
    if (type == "json_object") return read_schema(fields, format, at, out);
    const auto path = append_path(at, "json_schema");
    if (type != "json_schema")
        return fields.fail_unsupported(append_path(at, "type"),
                                       fmt::format("is \"{}\"; it must be text, json_object or "
                                                   "json_schema",
                                                   quote_text(type)));
    const auto* wrapper = field_reader::find(format, "json_schema");
    if (!wrapper) return fields.fail_missing(path);
    if (!wrapper->is_object()) return fields.fail_wrong_type(*wrapper, path, "an object");
    return read_schema(fields, *wrapper, path, out);
}

bool read_text_constraints(field_reader& fields, const json& body, generation_options& out) {
    wanted_form form;
    if (!read_form(fields, body, form)) return false;
    if (form.grammar.empty() && form.schema.is_null()) return true;
    out.grammar = std::move(form.grammar);
    out.json_schema = form.schema.is_null() ? "" : dump_json(form.schema);
    return true;
}

}  // namespace tandem::gateway
