#include "answers/chat_messages.hpp"

#include <nlohmann/json.hpp>

#include <stdexcept>

namespace tandem::mock {
namespace {

using nlohmann::json;

bool has_tool_calls(const json& message) {
    const auto calls = message.find("tool_calls");
    return calls != message.end() && !calls->is_null() && !calls->empty();
}

bool is_assistant(const json& message) {
    return message.is_object() && message.value("role", json()) == "assistant";
}

void check_content(const json& message) {
    const bool has_content = message.is_object() && message.contains("content");
    if (!is_assistant(message) && !has_content)
        throw std::invalid_argument("All non-assistant messages must contain 'content'");
    if (!has_content && !message.contains("tool_calls"))
        throw std::invalid_argument(
            "Assistant message must contain either 'content' or 'tool_calls'!");
    if (!has_content) return;
    const auto& content = message["content"];
    if (content.is_array())
        throw std::invalid_argument("content in several parts is not supported here");
    if (!content.is_string() && !content.is_null())
        throw std::invalid_argument("Expected 'content' to be a string or an array");
}

function_call read_call(const json& call) {
    if (!call.contains("type"))
        throw std::invalid_argument("Missing tool call type: " + call.dump());
    if (call["type"] != "function")
        throw std::invalid_argument("Unsupported tool call type: " + call.dump());
    if (!call.contains("function"))
        throw std::invalid_argument("Missing tool call function: " + call.dump());
    const auto& function = call["function"];
    if (!function.contains("name"))
        throw std::invalid_argument("Missing tool call name: " + call.dump());
    const auto& arguments = function.at("arguments");
    if (call.contains("id")) call["id"].get<std::string>();
    return {.name = function["name"].get<std::string>(),
            .arguments = arguments.is_string() ? arguments.get<std::string>() : arguments.dump()};
}

chat_message read_message(const json& m) {
    if (!m.contains("role")) throw std::invalid_argument("Missing 'role' in message: " + m.dump());
    chat_message read{{.role = m["role"].get<std::string>()}};
    if (const auto text = m.find("content"); text != m.end() && text->is_string())
        read.content = text->get<std::string>();
    if (has_tool_calls(m))
        for (const auto& call : m["tool_calls"]) read.calls.push_back(read_call(call));
    for (const char* field : {"name", "tool_call_id"})
        if (m.contains(field)) m[field].get<std::string>();
    return read;
}

// The server continues an assistant message at the end of the list, unless it contains tool calls
// or follows another assistant message.
void check_end(const json& messages) {
    if (messages.empty() || !is_assistant(messages.back())) return;
    if (messages.size() > 1 && is_assistant(messages[messages.size() - 2]))
        throw std::invalid_argument(
            "Cannot have 2 or more assistant messages at the end of the list.");
    if (has_tool_calls(messages.back()))
        throw std::invalid_argument(
            "Cannot continue an assistant message that contains tool calls.");
}

// Checks the contents and the list as a whole before other fields are read, because these errors
// have status 400 and the later ones 500.
json checked_messages(const json& body) {
    if (!body.contains("messages")) throw std::invalid_argument("'messages' is required");
    const auto& messages = body["messages"];
    if (!messages.is_array()) throw std::invalid_argument("Expected 'messages' to be an array");
    for (const auto& m : messages) check_content(m);
    check_end(messages);
    return messages;
}

}  // namespace

std::variant<std::vector<chat_message>, api_error> parse_messages(const std::string& body) {
    json messages;
    try {
        messages = checked_messages(json::parse(body));
    } catch (const std::exception& e) {
        return make_error(400, e.what());
    }
    try {
        std::vector<chat_message> read;
        for (const auto& m : messages) read.push_back(read_message(m));
        return read;
    } catch (const std::exception& e) {
        return make_error(500, std::string("Failed to parse messages: ") + e.what());
    }
}

}  // namespace tandem::mock
