#include "conversation/chatml.hpp"

#include "conversation/history/conversation_json.hpp"

#include <algorithm>
#include <string_view>

namespace tandem::conversations {
namespace {

constexpr std::string_view open_mark = "<|im_start|>";
constexpr std::string_view end_mark = "<|im_end|>\n";

bool is_name_character(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// Whether `text`, which starts with "<", starts with a control token such as <|im_start|>.
bool is_control_token(std::string_view text) noexcept {
    if (!text.starts_with("<|")) return false;
    const auto end = std::find_if_not(text.begin() + 2, text.end(), is_name_character);
    return end != text.begin() + 2 &&
           text.substr(static_cast<std::size_t>(end - text.begin())).starts_with("|>");
}

bool is_result_mark(std::string_view text) noexcept {
    return text.starts_with("<tool_response>") || text.starts_with("</tool_response>");
}

std::string harmless(std::string_view text, bool results_too) {
    std::string out;
    out.reserve(text.size());
    for (auto at = text.find('<'); at != text.npos; at = text.find('<')) {
        out += text.substr(0, at + 1);
        const auto rest = text.substr(at);
        if (is_control_token(rest) || (results_too && is_result_mark(rest))) out += ' ';
        text.remove_prefix(at + 1);
    }
    return out += text;
}

void open_message(std::string_view role, std::string& out) {
    out += open_mark;
    out += harmless(role, false);
    out += '\n';
}

void add_calls(const chat_message& m, std::string& out) {
    for (const auto& call : m.tool_calls) {
        if (!out.ends_with('\n')) out += '\n';
        out += "<tool_call>\n" + harmless(wire::format_tool_call(call), false) + "\n</tool_call>";
    }
}

/// Adds a result to the user message that all consecutive results share.
void add_result(const chat_message& m, bool is_first, bool is_last, std::string& out) {
    if (is_first) open_message("user", out);
    if (!is_first) out += '\n';
    out += "<tool_response>\n" + harmless(m.content, true) + "\n</tool_response>";
    if (is_last) out += end_mark;
}

bool is_result(const chat_message& m) noexcept {
    return m.role == "tool";
}

}  // namespace

std::string render_chatml(std::span<const chat_message> messages) {
    std::string out;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const auto& m = messages[i];
        const bool is_last = i + 1 == messages.size();
        if (is_result(m)) {
            add_result(m, i == 0 || !is_result(messages[i - 1]),
                       is_last || !is_result(messages[i + 1]), out);
            continue;
        }
        open_message(m.role, out);
        out += harmless(m.content, m.role == "user");
        add_calls(m, out);
        if (is_last && m.role == "assistant" && m.tool_calls.empty()) return out;
        out += end_mark;
    }
    open_message("assistant", out);
    return out;
}

}  // namespace tandem::conversations
