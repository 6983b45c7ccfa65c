#include "answers/tool_template.hpp"

#include "answers/chat_template.hpp"
#include "answers/json_text.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace tandem::mock {
namespace {

using nlohmann::ordered_json;

constexpr const char* list_opening = "Functions that you may call:\n";
constexpr const char* instructions =
    "Write a call like this:\n<tool_call>\n{\"name\": \"function\", \"arguments\": "
    "{}}\n</tool_call>";

// JSON with a space after each comma and colon, as Jinja's tojson writes it.
std::string spaced_json(const ordered_json& value) {
    if (!value.is_structured()) return json_text(value);
    std::string text;
    for (const auto& item : value.items()) {
        if (!text.empty()) text += ", ";
        if (value.is_object()) text += json_text(item.key()) + ": ";
        text += spaced_json(item.value());
    }
    return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

ordered_json parse_arguments(const function_call& call) {
    try {
        return ordered_json::parse(call.arguments);
    } catch (const ordered_json::exception& e) {
        throw std::invalid_argument("Failed to parse tool call arguments as JSON: " +
                                    std::string(e.what()));
    }
}

// A function with the fields that the server passes to a template.
ordered_json template_tool(const ordered_json& tool) {
    const auto& function = tool.at("function");
    return {{"type", "function"},
            {"function",
             {{"name", function.at("name")},
              {"description", function.value("description", "")},
              {"parameters", function.value("parameters", ordered_json::object())}}}};
}

std::string call_text(const function_call& call) {
    const auto arguments = parse_arguments(call);
    return "<tool_call>\n{\"name\": \"" + call.name +
           "\", \"arguments\": " + spaced_json(arguments) + "}\n</tool_call>";
}

// Moves the calls into the message's text.
message without_calls(const chat_message& m) {
    message text = m;
    for (const auto& call : m.calls) {
        if (!text.content.empty()) text.content += "\n";
        text.content += call_text(call);
    }
    return text;
}

std::string introduction(const ordered_json& tools) {
    std::string text = list_opening;
    for (const auto& tool : tools) text += spaced_json(template_tool(tool)) + "\n";
    return text + instructions;
}

}  // namespace

std::string tool_template_source() {
    return "{# The mock server's template, which shows tools and their calls. #}";
}

std::string render_with_tools(const std::vector<chat_message>& messages,
                              const ordered_json& tools) {
    std::vector<message> texts;
    texts.reserve(messages.size() + 1);
    for (const auto& m : messages) texts.push_back(without_calls(m));
    if (tools.empty()) return render_prompt(texts);
    const bool has_system = !texts.empty() && texts.front().role == "system";
    if (has_system)
        texts.front().content += "\n\n" + introduction(tools);
    else
        texts.insert(texts.begin(), {.role = "system", .content = introduction(tools)});
    return render_prompt(texts);
}

std::string remove_tool_list(std::string_view prompt) {
    const std::string alone = std::string("<|im_start|>system\n") + list_opening;
    const bool is_alone = prompt.starts_with(alone);
    auto from = is_alone ? 0 : prompt.find(std::string("\n\n") + list_opening);
    auto to = prompt.find(instructions);
    if (from == std::string_view::npos || to == std::string_view::npos || to < from)
        return std::string(prompt);
    to += std::string_view(instructions).size();
    if (is_alone) to = prompt.find('\n', to) + 1;
    return std::string(prompt.substr(0, from)) + std::string(prompt.substr(to));
}

}  // namespace tandem::mock
