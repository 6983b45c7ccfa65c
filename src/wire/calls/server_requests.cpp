#include "wire/calls/server_messages.hpp"
#include "wire/json/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tandem::wire {
namespace {

json template_json(const tool_call& c) {
    json call{{"type", "function"}, {"function", {{"name", c.name}, {"arguments", c.arguments}}}};
    if (!c.id.empty()) call["id"] = c.id;
    return call;
}

// Old servers require content in every message, and render empty content as missing. White space
// between text and calls is removed, because the template adds its own there.
json template_json(const chat_message& m) {
    const std::string_view text = m.content;
    const auto end = m.tool_calls.empty() ? text.size() : text.find_last_not_of(" \t\r\n") + 1;
    json message{{"role", m.role}, {"content", text.substr(0, end)}};
    for (const auto& c : m.tool_calls) message["tool_calls"].push_back(template_json(c));
    if (!m.tool_call_id.empty()) message["tool_call_id"] = m.tool_call_id;
    if (!m.name.empty()) message["name"] = m.name;
    return message;
}

}  // namespace

std::string encode_adapter_list(std::span<const adapter_scale> adapters) {
    auto list = json::array();
    for (const auto& a : adapters) list.push_back({{"id", a.id}, {"scale", a.scale}});
    return dump_json(list);
}

std::string tokenize_body(std::string_view text) {
    return dump_json(json{{"content", text}, {"add_special", true}, {"parse_special", true}});
}

std::string tokenize_continuation_body(std::string_view text) {
    return dump_json(json{{"content", text}, {"add_special", false}, {"parse_special", true}});
}

std::string tokenize_pieces_body(std::span<const std::string> texts, token_id separator,
                                 bool parse_special) {
    // The server tokenizes the strings of a list one by one and passes ids through.
    auto list = json::array();
    for (const auto& text : texts) {
        list.push_back(text);
        list.push_back(separator);
    }
    return dump_json(json{
        {"content", std::move(list)}, {"add_special", false}, {"parse_special", parse_special}});
}

std::string detokenize_body(std::span<const token_id> ids) {
    return dump_json(json{{"tokens", ids}});
}

void insert_turn_context(std::vector<chat_message>& messages, std::string_view context) {
    if (context.empty()) return;
    const auto last =
        std::ranges::find(messages.rbegin(), messages.rend(), "user", &chat_message::role);
    if (last == messages.rend())
        messages.push_back({.role = "user", .content = std::string(context)});
    else
        last->content = fmt::format("{}\n\n{}", context, last->content);
}

namespace {

/// An effort of "none" also turns off thinking in templates that know only `enable_thinking`.
std::string with_effort(std::string_view template_options) {
    if (template_options.empty()) return {};
    auto fields = json::parse(template_options);
    auto& values = fields["chat_template_kwargs"];
    if (fields.value("reasoning_effort", "") != "none" || values.contains("enable_thinking"))
        return std::string(template_options);
    values["enable_thinking"] = false;
    return dump_json(fields);
}

}  // namespace

std::string apply_template_body(std::span<const chat_message> messages, std::string_view tools,
                                std::string_view template_options) {
    auto list = json::array();
    for (const auto& m : messages) list.push_back(template_json(m));
    auto body = R"({"messages":)" + dump_json(list);
    if (!tools.empty()) body += R"(,"tools":)" + compact_json(tools);
    append_members(with_effort(template_options), body);
    return body + '}';
}

namespace {

/// Whether the reply continues the last message instead of starting a new one.
bool ends_in_reply(const std::vector<chat_message>& all) noexcept {
    return !all.empty() && all.back().role == "assistant" && all.back().tool_calls.empty();
}

/// The body without its closing brace. A temperature of 0 makes the server sample greedily.
std::string continued_chat_body(std::vector<chat_message> all, std::string_view text, int slot,
                                bool reuse_cache, const generation_options& o) {
    insert_turn_context(all, o.context);
    if (!ends_in_reply(all)) all.push_back({.role = "assistant"});
    all.back().content += text;
    auto body = apply_template_body(all, o.tools, o.template_options);
    body.pop_back();
    body += fmt::format(R"(,"temperature":0,"id_slot":{},"cache_prompt":{})", slot, reuse_cache);
    if (!o.lora.empty()) body += R"(,"lora":)" + encode_adapter_list(o.lora);
    return body;
}

}  // namespace

std::string parse_reply_body(const reply_to_parse& r, const generation_options& o) {
    auto body = continued_chat_body(r.messages, r.text, r.slot, r.reuse_cache, o);
    constexpr int certain = 1000;
    if (r.end_token) body += fmt::format(R"(,"logit_bias":[[{},{}]])", *r.end_token, certain);
    return body + R"(,"parallel_tool_calls":true,"max_tokens":0})";
}

std::string forced_call_body(const begun_call& c, const generation_options& o) {
    // The server matches the last message with its grammar, and aborts at an end token in this
    // message. Therefore, the message does not contain what the model wrote.
    auto messages = c.messages;
    if (ends_in_reply(messages)) messages.pop_back();
    const auto body = continued_chat_body(std::move(messages), c.lead, c.slot, c.reuse_cache, o);
    return fmt::format(R"({},"tool_choice":"required","parallel_tool_calls":{},"max_tokens":{}}})",
                       body, o.parallel_tool_calls, max_forced_tokens);
}

std::string slot_erase_path(int slot) {
    return fmt::format("/slots/{}?action=erase", slot);
}

std::string slot_save_path(int slot) {
    return fmt::format("/slots/{}?action=save", slot);
}

std::string slot_restore_path(int slot) {
    return fmt::format("/slots/{}?action=restore", slot);
}

std::string slot_file_body(std::string_view file) {
    return dump_json(json{{"filename", file}});
}

}  // namespace tandem::wire
