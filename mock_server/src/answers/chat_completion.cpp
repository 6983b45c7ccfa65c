#include "answers/chat_completion.hpp"

#include "answers/json_text.hpp"
#include "answers/tokenizer.hpp"
#include "answers/tool_template.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace tandem::mock {
namespace {

using nlohmann::ordered_json;

constexpr const char* not_supported =
    "The mock server supports chat completions only to read tool calls in a text, or to continue "
    "one: with its tool template, an assistant's message at the end, no stream, and \"max_tokens\" "
    "0 or \"tool_choice\" \"required\".";

bool must_call(const ordered_json& body) {
    return body.value("tool_choice", ordered_json()) == "required";
}

bool is_supported(const ordered_json& body, const options& o) {
    const auto& messages = body.value("messages", ordered_json());
    return o.tool_template && o.has_chat_template && messages.is_array() && !messages.empty() &&
           messages.back().is_object() &&
           messages.back().value("role", ordered_json()) == "assistant" &&
           (must_call(body) || body.value("max_tokens", ordered_json()) == 0) &&
           body.value("stream", ordered_json(false)) == false;
}

void add_text_to_parse(std::string text, const ordered_json& body, completion_request& r) {
    r.text_to_parse = std::move(text);
    for (const auto& tool : body.value("tools", ordered_json::array()))
        r.tools.push_back(tool.at("function").at("name").get<std::string>());
}

/// Completes a call whose text ends before the name of its function. Uses the first function and no
/// arguments, which a grammar of the tools would allow.
void force_call(completion_request& r) {
    if (!r.tools.empty())
        *r.text_to_parse += r.tools.front() + "\", \"arguments\": {}}\n</tool_call>";
}

std::variant<completion_request, api_error> parse(const std::string& text, const options& o) {
    auto body = ordered_json::parse(text);
    if (!is_supported(body, o)) return make_error(501, not_supported);
    const auto messages = parse_messages(text);
    if (const auto* error = std::get_if<api_error>(&messages)) return *error;
    const auto& list = std::get<0>(messages);
    body["prompt"] = render_chat(list, text, o);
    if (must_call(body)) {
        // The model generates no text, because force_call() appends the call.
        body["max_tokens"] = 0;
        body["logit_bias"] = {{eos_token, 1000}};
    }
    auto request = parse_completion_request(json_text(body), o.add_bos);
    if (auto* wanted = std::get_if<completion_request>(&request)) {
        add_text_to_parse(list.back().content, body, *wanted);
        if (must_call(body)) force_call(*wanted);
    }
    return request;
}

}  // namespace

std::string render_chat(const std::vector<chat_message>& messages, const std::string& body,
                        const options& o) {
    if (!o.tool_template) return render_prompt({messages.begin(), messages.end()});
    return render_with_tools(messages,
                             ordered_json::parse(body).value("tools", ordered_json::array()));
}

std::variant<completion_request, api_error> parse_chat_completion(const std::string& body,
                                                                  const options& o) {
    try {
        return parse(body, o);
    } catch (const std::exception& e) {
        return make_error(400, e.what());
    }
}

}  // namespace tandem::mock
