#pragma once

#include <nlohmann/json.hpp>

#include <set>
#include <string>
#include <string_view>

namespace tandem::testing {

/// What is wrong with the calls in a prompt of the mock server's tool template, in words: a result
/// without a call, or a call without a result before other messages. Empty if nothing is. The end
/// of a prompt may lack results: it is prefilled while functions run.
inline std::string find_orphan(std::string_view prompt) {
    constexpr std::string_view header = "<|im_start|>";
    constexpr std::string_view end = "<|im_end|>";
    constexpr std::string_view call = "<tool_call>\n{";
    int open = 0;
    for (auto at = prompt.find(header); at != prompt.npos;) {
        const auto from = at + header.size();
        at = prompt.find(header, from);
        const auto block = prompt.substr(from, at == prompt.npos ? at : at - from);
        const auto role = block.substr(0, block.find('\n'));
        if (role == block) break;  // a prompt that ends within a role
        if (role == "tool" && --open < 0) return "a result without a call";
        if (role != "tool" && open > 0) return "a call without a result";
        if (role != "assistant" || block.find(end) == block.npos) continue;
        for (auto c = block.find(call); c != block.npos; c = block.find(call, c + 1)) ++open;
    }
    return {};
}

/// The same for the messages of a request; also names results that `is_result_of` denies.
template <class IsResultOf>
std::string find_orphan(const nlohmann::json& messages, IsResultOf is_result_of) {
    std::set<std::string> open;
    for (const auto& m : messages) {
        const auto role = m.value("role", "");
        if (role == "tool") {
            const auto id = m.value("tool_call_id", "");
            if (open.erase(id) == 0) return "a result without a call";
            if (!is_result_of(m.value("content", ""), id)) return "the result of another call";
        } else if (!open.empty()) {
            return "a call without a result";
        }
        if (!m.contains("tool_calls")) continue;
        for (const auto& c : m["tool_calls"])
            if (!open.insert(c.value("id", "")).second) return "two calls with one id";
    }
    return open.empty() ? "" : "a call without a result at the end";
}

}  // namespace tandem::testing
