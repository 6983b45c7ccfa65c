#include "gateway/requests/message_reader.hpp"

#include "gateway/json/json_text.hpp"
#include "text/characters/white_space.hpp"
#include "wire/json/json_limits.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

/// The role's name in chat templates; empty if the role is unknown.
std::string_view role_of(std::string_view role) noexcept {
    for (const std::string_view known : {"system", "user", "assistant", "tool"})
        if (role == known) return known;
    if (role == "developer") return "system";
    return role == "function" ? "tool" : "";
}

bool read_role(field_reader& fields, const json& message, const std::string& at, std::string& out) {
    std::string role;
    if (!fields.read_required(message, at, "role", role)) return false;
    out = role_of(role);
    if (!out.empty()) return true;
    return fields.fail_invalid(
        append_path(at, "role"),
        fmt::format("is \"{}\"; it must be system, developer, user, assistant, "
                    "tool or function",
                    quote_text(role)));
}

/// The name of the member that contains the text of a content part; nullptr if parts of this type
/// have no text.
const char* text_key(std::string_view type) noexcept {
    if (type == "text" || type == "input_text" || type == "output_text") return "text";
    return type == "refusal" ? "refusal" : nullptr;
}

bool add_part(field_reader& fields, const json& part, const std::string& at, std::string& out) {
    if (!part.is_object()) return fields.fail_wrong_type(part, at, "an object");
    std::string type;
    std::string text;
    if (!fields.read_required(part, at, "type", type)) return false;
    const char* key = text_key(type);
    if (!key)
        return fields.fail_unsupported(
            append_path(at, "type"),
            fmt::format("is \"{}\"; only text is supported", quote_text(type)));
    if (!fields.read_required(part, at, key, text)) return false;
    if (!out.empty()) out += '\n';
    out += text;
    return true;
}

bool read_content(field_reader& fields, const json& message, const std::string& at,
                  std::string& out) {
    const auto* content = field_reader::find(message, "content");
    const auto path = append_path(at, "content");
    if (!content) return fields.fail_missing(path);
    if (content->is_string()) return fields.read(message, at, "content", out);
    if (!content->is_array())
        return fields.fail_wrong_type(*content, path, "a string or a list of parts");
    for (std::size_t i = 0; i < content->size(); ++i)
        if (!add_part(fields, (*content)[i], append_path(path, i), out)) return false;
    return true;
}

/// `arguments` is JSON text. Some clients send an object instead, or empty text for `{}`. Any other
/// text that is not JSON is rejected, because the server cannot render it.
bool read_arguments(field_reader& fields, const json& function, const std::string& at,
                    std::string& out) {
    constexpr wire::json_limits limits{.depth = 64, .values = 100'000};
    const auto* arguments = field_reader::find(function, "arguments");
    if (arguments && arguments->is_object()) {
        out = dump_json(*arguments);
        return true;
    }
    if (!fields.read(function, at, "arguments", out)) return false;
    if (out.empty()) out = "{}";
    const auto fault = wire::describe_json_fault(out, limits);
    return fault.empty() || fields.fail_invalid(append_path(at, "arguments"), fault);
}

bool read_function(field_reader& fields, const json& function, const std::string& at,
                   tool_call& out) {
    if (!function.is_object()) return fields.fail_wrong_type(function, at, "an object");
    return fields.read_required(function, at, "name", out.name) &&
           read_arguments(fields, function, at, out.arguments);
}

bool read_call(field_reader& fields, const json& call, const std::string& at, tool_call& out) {
    if (!call.is_object()) return fields.fail_wrong_type(call, at, "an object");
    std::string type = "function";
    if (!fields.read(call, at, "id", out.id) || !fields.read(call, at, "type", type)) return false;
    if (type != "function")
        return fields.fail_unsupported(append_path(at, "type"), R"(must be "function")");
    const auto* function = field_reader::find(call, "function");
    // Some clients write the name and the arguments next to the id.
    if (!function && field_reader::find(call, "name")) return read_function(fields, call, at, out);
    const auto path = append_path(at, "function");
    return function ? read_function(fields, *function, path, out) : fields.fail_missing(path);
}

bool read_calls(field_reader& fields, const json& message, const std::string& at,
                std::vector<tool_call>& out) {
    const auto* calls = field_reader::find(message, "tool_calls");
    if (!calls) return true;
    const auto path = append_path(at, "tool_calls");
    if (!calls->is_array()) return fields.fail_wrong_type(*calls, path, "a list");
    out.resize(calls->size());
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!read_call(fields, (*calls)[i], append_path(path, i), out[i])) return false;
    return true;
}

/// Reads `function_call`, which older clients send instead of `tool_calls`.
bool read_old_call(field_reader& fields, const json& message, const std::string& at,
                   std::vector<tool_call>& out) {
    const auto* call = field_reader::find(message, "function_call");
    if (!call) return true;
    return read_function(fields, *call, append_path(at, "function_call"), out.emplace_back());
}

/// An assistant message may have no content. A refusal is read as content, too.
bool read_assistant(field_reader& fields, const json& message, const std::string& at,
                    chat_message& out) {
    const bool has_content = field_reader::find(message, "content") != nullptr;
    return (has_content ? read_content(fields, message, at, out.content)
                        : fields.read(message, at, "refusal", out.content)) &&
           read_calls(fields, message, at, out.tool_calls) &&
           read_old_call(fields, message, at, out.tool_calls);
}

bool check_last(field_reader& fields, const std::vector<chat_message>& messages) {
    if (messages.back().tool_calls.empty()) return true;
    return fields.fail_invalid(
        append_path("messages", messages.size() - 1),
        "has tool calls without results: add a message of role tool for each");
}

}  // namespace

bool read_message(field_reader& fields, const json& message, const std::string& at,
                  chat_message& out) {
    if (!message.is_object()) return fields.fail_wrong_type(message, at, "an object");
    return read_role(fields, message, at, out.role) &&
           (out.role == "assistant" ? read_assistant(fields, message, at, out)
                                    : read_content(fields, message, at, out.content)) &&
           fields.read(message, at, "tool_call_id", out.tool_call_id) &&
           fields.read(message, at, "name", out.name);
}

bool check_words(field_reader& fields, std::string_view text, std::string path) {
    return !text::is_all_white_space(text) ||
           fields.fail_invalid(std::move(path), "is empty or only white space");
}

bool read_messages(field_reader& fields, const json& body, std::size_t most,
                   std::vector<chat_message>& out) {
    const auto* list = field_reader::find(body, "messages");
    if (!list) return fields.fail_missing("messages");
    if (!list->is_array()) return fields.fail_wrong_type(*list, "messages", "a list");
    if (list->empty())
        return fields.fail_invalid("messages", "is empty; it must contain a message");
    if (list->size() > most)
        return fields.fail_invalid(
            "messages", fmt::format("has {} messages; the maximum is {}", list->size(), most));
    out.resize(list->size());
    for (std::size_t i = 0; i < out.size(); ++i)
        if (!read_message(fields, (*list)[i], append_path("messages", i), out[i])) return false;
    return check_last(fields, out);
}

}  // namespace tandem::gateway
