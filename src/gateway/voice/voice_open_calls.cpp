#include "gateway/voice/voice_open_calls.hpp"

#include <algorithm>
#include <utility>

namespace tandem::gateway {

void voice_open_calls::open(std::span<const tool_call> calls, time_point deadline) {
    const auto sent = calls.first(std::min(calls.size(), max_sent_calls));
    for (const auto& c : sent) calls_.push_back({.id = c.id, .result = std::nullopt});
    open_count_ = sent.size();
    were_made_ = true;
    deadline_ = deadline;
}

void voice_open_calls::close(call& c, std::string content) {
    c.result = std::move(content);
    --open_count_;
}

bool voice_open_calls::answer(std::string_view id, std::string content) {
    const auto found = std::ranges::find_if(
        calls_, [&](const call& c) { return c.id == id && !c.result.has_value(); });
    if (found == calls_.end()) return false;
    close(*found, std::move(content));
    return true;
}

std::vector<std::string> voice_open_calls::answer_all(const std::string& content) {
    std::vector<std::string> ids;
    for (auto& c : calls_) {
        if (c.result) continue;
        ids.push_back(c.id);
        close(c, content);
    }
    return ids;
}

std::vector<std::string> voice_open_calls::drop() {
    std::vector<std::string> ids;
    for (const auto& c : calls_)
        if (!c.result) ids.push_back(c.id);
    std::erase_if(calls_, [](const call& c) { return !c.result; });
    open_count_ = 0;
    return ids;
}

std::vector<chat_message> voice_open_calls::take_results() {
    std::vector<chat_message> results;
    for (auto& c : std::exchange(calls_, {}))
        results.push_back({.role = "tool",
                           .content = std::move(c.result).value_or(""),
                           .tool_call_id = std::move(c.id)});
    return results;
}

std::optional<time_point> voice_open_calls::deadline() const noexcept {
    return is_open() ? std::optional(deadline_) : std::nullopt;
}

}  // namespace tandem::gateway
