// The calls of a turn, and the results that come after the turn.

#include "conversation/history/turn_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

namespace tandem::conversations {
namespace {

constexpr std::size_t max_late_argument_bytes = 200;

}  // namespace

// Searches from the end, because clients may use the id of an earlier call again.
bool turn_history::is_repeated_result(const chat_message& m) const {
    const auto& id = m.tool_call_id;
    if (m.role != "tool" || id.empty()) return false;
    if (find_result(id)) return true;
    for (auto exchange = exchanges_.rbegin(); exchange != exchanges_.rend(); ++exchange) {
        const auto& messages = exchange->messages;
        for (auto earlier = messages.rbegin(); earlier != messages.rend(); ++earlier) {
            if (earlier->role == "tool" && earlier->tool_call_id == id) return true;
            const auto& calls = earlier->tool_calls;
            if (std::ranges::find(calls, id, &tool_call::id) != calls.end()) return false;
        }
    }
    return false;
}

const chat_message* turn_history::find_result(std::string_view id) const noexcept {
    const auto found = std::ranges::find(results_, id, &chat_message::tool_call_id);
    return found == results_.end() ? nullptr : &*found;
}

std::optional<chat_message> turn_history::make_late_result_message(std::string_view id,
                                                                   std::string_view content) {
    const auto call = take_late_call(id);
    if (!call) return std::nullopt;
    const auto* const gap = call->arguments.empty() ? "" : " ";
    return chat_message{
        .role = "user",
        .content = fmt::format("Result of {}{}{}: {}", call->name, gap, call->arguments, content)};
}

// Keeps the arguments, because they tell calls of one function apart, unless they are long.
void turn_history::expect_late_result(tool_call call) {
    if (call.arguments.size() > max_late_argument_bytes) call.arguments.clear();
    if (late_calls_.size() >= max_late_calls) late_calls_.erase(late_calls_.begin());
    late_calls_.push_back(std::move(call));
}

std::optional<tool_call> turn_history::take_late_call(std::string_view id) {
    const auto found = std::ranges::find(late_calls_, id, &tool_call::id);
    if (found == late_calls_.end()) return std::nullopt;
    auto call = std::move(*found);
    late_calls_.erase(found);
    return call;
}

void turn_history::make_ids_unique(std::vector<tool_call>& calls) const {
    std::set<std::string> used{""};
    for (const auto& m : transcript())
        for (const auto& c : m.tool_calls) used.insert(c.id);
    for (const auto& c : late_calls_) used.insert(c.id);
    std::size_t number = used.size();
    for (auto& call : calls) {
        while (!used.insert(call.id).second) call.id = fmt::format("c{:08}", number++);
    }
}

}  // namespace tandem::conversations
