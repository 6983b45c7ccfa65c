#include "gateway/sessions/kept_responses.hpp"

#include "gateway/policy/prompt_texts.hpp"

#include "tandem/saved_conversation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tandem::gateway {
namespace {

api_error make_invalid(std::string param, std::string message) {
    return make_error(400, "invalid_value", std::move(message), std::move(param));
}

// A response to only instructions has no messages.
std::vector<tool_call> find_open_calls(const kept_response& r) {
    return r.messages.empty() ? std::vector<tool_call>() : r.messages.back().tool_calls;
}

bool is_response_id(std::string_view id) noexcept {
    constexpr std::size_t max_bytes = 64;
    return id.starts_with("resp_") && id.size() <= max_bytes;
}

api_error make_unknown_item_error(std::string_view item) {
    return make_invalid("input", fmt::format("input refers to the item '{}', which is unknown or "
                                             "no longer kept; send the item itself",
                                             quote_text(item)));
}

api_error make_items_too_large_error(std::size_t max_bytes) {
    return make_error(
        400, "prompt_too_large",
        fmt::format("the items that input refers to have more than {} bytes of text", max_bytes),
        "input");
}

std::size_t count_prompt_bytes(const chat_message& message) {
    std::size_t bytes = 0;
    for (const auto text : collect_texts({&message, 1}, {}, {})) bytes += text.size();
    return bytes;
}

// Clients may send some items of an answer as references, and the others as they are.
bool repeats_answer(const chat_message& message, const chat_message& answer) {
    const auto is_known = [&](const tool_call& call) {
        return std::ranges::find(answer.tool_calls, call.id, &tool_call::id) !=
               answer.tool_calls.end();
    };
    return message.role == "assistant" &&
           (message.content.empty() || message.content == answer.content) &&
           std::ranges::all_of(message.tool_calls, is_known);
}

}  // namespace

// The result is the affinity key, followed by the messages in one line of JSON.
std::string serialize_kept_response(const kept_response& r) {
    const saved_conversation said{.exchanges = {{.messages = r.messages}}};
    return r.affinity_key + '\n' + saved_text(said);
}

std::optional<kept_response> parse_kept_response(std::string_view text) {
    const auto line = text.rfind('\n');
    saved_conversation said;
    if (line == std::string_view::npos || read_saved(text.substr(line + 1), said) ||
        said.exchanges.size() != 1)
        return std::nullopt;
    return kept_response{std::move(said.exchanges.front().messages),
                         std::string(text.substr(0, line))};
}

std::optional<api_error> prepend_earlier_messages(response_request& request,
                                                  const kept_response& before,
                                                  std::size_t max_messages) {
    auto& messages = request.messages;
    for (const auto& call : find_open_calls(before))
        if (std::ranges::find(messages, call.id, &chat_message::tool_call_id) == messages.end())
            return make_invalid("input",
                                fmt::format("input has no function_call_output for the call "
                                            "'{}' of the previous response",
                                            quote_text(call.id)));
    if (messages.size() + before.messages.size() > max_messages)
        return make_invalid(
            "previous_response_id",
            fmt::format("previous_response_id leads to more than {} messages", max_messages));
    messages.insert(messages.begin() + (request.has_instructions ? 1 : 0), before.messages.begin(),
                    before.messages.end());
    if (request.affinity_key.empty()) request.affinity_key = before.affinity_key;
    return std::nullopt;
}

std::string find_response_id(std::string_view item) {
    const auto first = item.find('_');
    const auto last = item.rfind('_');
    if (first == last) return {};
    return fmt::format("resp_{}", item.substr(first + 1, last - first - 1));
}

std::optional<api_error> resolve_references(
    response_request& request, std::size_t max_bytes,
    const std::function<const kept_response*(const std::string& id)>& find) {
    std::vector<chat_message> resolved;
    std::size_t copied = 0;
    // The response whose answer is the last resolved message.
    std::string answered;
    auto next = request.references.begin();
    for (std::size_t i = 0; i < request.messages.size(); ++i) {
        auto& message = request.messages[i];
        if (next == request.references.end() || next->message != i) {
            if (!answered.empty() && repeats_answer(message, resolved.back())) continue;
            resolved.push_back(std::move(message));
            answered.clear();
            continue;
        }
        const auto& item = next++->id;
        auto id = find_response_id(item);
        const auto* const response = find(id);
        if (!response || response->messages.empty()) return make_unknown_item_error(item);
        if (id == answered) continue;
        copied += count_prompt_bytes(response->messages.back());
        if (copied > max_bytes) return make_items_too_large_error(max_bytes);
        resolved.push_back(response->messages.back());
        answered = std::move(id);
    }
    request.messages = std::move(resolved);
    return std::nullopt;
}

std::vector<std::string> list_responses_to_fetch(
    const response_request& request, const std::function<bool(const std::string& id)>& is_here) {
    constexpr std::size_t max_responses = 32;
    std::vector<std::string> ids;
    const auto add = [&](std::string id) {
        const bool is_listed = std::ranges::find(ids, id) != ids.end();
        if (ids.size() < max_responses && is_response_id(id) && !is_listed && !is_here(id))
            ids.push_back(std::move(id));
    };
    add(request.previous);
    for (auto item = request.references.rbegin(); item != request.references.rend(); ++item)
        add(find_response_id(item->id));
    return ids;
}

api_error make_store_unavailable_error(const response_request& request) {
    auto e = make_error(503, "cluster_unavailable",
                        "the store of the cluster does not answer, and this gateway does not have "
                        "all responses that the request refers to; try again, or send the whole "
                        "conversation as input",
                        request.previous.empty() ? "input" : "previous_response_id");
    e.retry_after = std::chrono::seconds(1);
    return e;
}

api_error make_response_not_found_error(const std::string& id) {
    return make_error(400, "previous_response_not_found",
                      fmt::format("the response '{}' is unknown or no longer kept; send the whole "
                                  "conversation as input",
                                  quote_text(id)),
                      "previous_response_id");
}

}  // namespace tandem::gateway
