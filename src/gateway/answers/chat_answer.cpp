#include "gateway/answers/chat_answer.hpp"

#include "gateway/json/cache_break_json.hpp"
#include "gateway/json/json_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>
#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

/// The finish reason in OpenAI's words; empty for an incomplete reply.
std::string_view finish_word(finish_reason reason, bool has_calls) noexcept {
    switch (reason) {
        case finish_reason::eos:
        case finish_reason::stop_word:
            return has_calls ? "tool_calls" : "stop";
        case finish_reason::length:
            return "length";
        case finish_reason::tool_calls:
            return "tool_calls";
        default:
            return {};
    }
}

json json_of(const answer_usage& u) {
    json out{{"prompt_tokens", u.prompt_tokens},
             {"completion_tokens", u.completion_tokens},
             {"total_tokens", u.prompt_tokens + u.completion_tokens},
             {"prompt_tokens_details", {{"cached_tokens", u.cached_tokens}}},
             {"completion_tokens_details", {{"reasoning_tokens", u.reasoning_tokens}}}};
    add_cache_break(out, u.cache_break);
    return out;
}

json json_of(const tool_call& call) {
    return {{"id", call.id},
            {"type", "function"},
            {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
}

json json_of(const answer_head& head, std::string_view object) {
    return {{"id", head.id}, {"object", object}, {"created", head.created}, {"model", head.model}};
}

json json_of(const std::vector<tool_call>& calls) {
    auto list = json::array();
    for (const auto& call : calls) list.push_back(json_of(call));
    return list;
}

constexpr std::string_view event_end = "\n\n";

std::string head_of_events(const answer_head& head) {
    const bool is_chat = head.kind == answer_kind::chat;
    auto fields = dump_json(json_of(head, is_chat ? "chat.completion.chunk" : "text_completion"));
    fields.pop_back();  // more fields follow
    return fmt::format(R"(data: {},"choices":[)", fields);
}

}  // namespace

answer_stream::answer_stream(const answer_head& head, bool include_usage)
    : kind_(head.kind),
      include_usage_(include_usage),
      head_(head_of_events(head)),
      tail_(include_usage ? R"(],"usage":null})" : "]}") {
    tail_ += event_end;
}

void answer_stream::open_delta(std::string& out) {
    out += head_;
    out += R"({"index":0,"delta":{)";
    if (!std::exchange(has_role_, true)) out += R"("role":"assistant",)";
}

void answer_stream::close_delta(std::string& out) const {
    out += R"(},"logprobs":null,"finish_reason":null})";
    out += tail_;
}

void answer_stream::write_text_piece(std::string_view text, std::string& out) {
    if (text.empty() || has_ended_) return;
    if (kind_ == answer_kind::chat) {
        open_delta(out);
        out += R"("content":)";
        out += dump_json(json(text));
        return close_delta(out);
    }
    out += head_;
    out += R"({"text":)";
    out += dump_json(json(text));
    out += R"(,"index":0,"logprobs":null,"finish_reason":null})";
    out += tail_;
}

void answer_stream::write_reasoning_piece(std::string_view text, std::string& out) {
    if (text.empty() || has_ended_ || kind_ != answer_kind::chat) return;
    open_delta(out);
    out += R"("reasoning_content":)";
    out += dump_json(json(text));
    close_delta(out);
}

void answer_stream::write_call_piece(const tool_call& piece, std::string& out) {
    if (has_ended_ || kind_ != answer_kind::chat) return;
    const bool is_first = !has_role_;
    json delta{{"index", calls_}};
    if (piece.name.empty())
        delta["function"]["arguments"] = piece.arguments;
    else
        delta.update(json_of(piece));
    open_delta(out);
    if (is_first) out += R"("content":null,)";
    fmt::format_to(std::back_inserter(out), R"("tool_calls":[{}])", dump_json(delta));
    close_delta(out);
}

void answer_stream::append_finish_event(std::string_view word, std::string& out) const {
    out += head_;
    out += kind_ == answer_kind::chat ? R"({"index":0,"delta":{})" : R"({"text":"","index":0)";
    fmt::format_to(std::back_inserter(out), R"(,"logprobs":null,"finish_reason":"{}"}})", word);
    out += tail_;
}

void answer_stream::append_usage_event(const answer_usage& usage, std::string& out) const {
    fmt::format_to(std::back_inserter(out), R"({}],"usage":{}}}{})", head_,
                   dump_json(json_of(usage)), event_end);
}

void answer_stream::end(finish_reason reason, const answer_usage& usage, std::string& out) {
    if (has_ended_) return;
    const auto word = finish_word(reason, calls_ > 0);
    if (word.empty()) return end_with_error(make_cut_short_error(reason), out);
    if (kind_ == answer_kind::chat && !has_role_) {
        // Clients expect a role even if the answer is empty.
        open_delta(out);
        out += R"("content":"")";
        close_delta(out);
    }
    append_finish_event(word, out);
    if (include_usage_) append_usage_event(usage, out);
    out += "data: [DONE]";
    out += event_end;
    has_ended_ = true;
}

void answer_stream::end_with_error(const api_error& error, std::string& out) {
    if (std::exchange(has_ended_, true)) return;
    out += "data: ";
    out += encode_error_body(error);
    out += event_end;
}

void answer_stream::write_keep_alive(std::string& out) const {
    if (has_ended_) return;
    out += ": keep-alive";
    out += event_end;
}

std::variant<std::string, api_error> encode_complete_answer(const answer_head& head,
                                                            const finished_answer& answer) {
    const bool is_chat = head.kind == answer_kind::chat;
    const auto& a = answer;
    const auto word = finish_word(a.reason, is_chat && !a.calls.empty());
    if (word.empty()) return make_cut_short_error(a.reason);
    json choice{{"index", 0}};
    if (is_chat) {
        json message{{"role", "assistant"}, {"content", a.text}, {"refusal", nullptr}};
        if (a.text.empty() && !a.calls.empty()) message["content"] = nullptr;
        if (!a.reasoning.empty()) message["reasoning_content"] = a.reasoning;
        if (!a.calls.empty()) message["tool_calls"] = json_of(a.calls);
        choice["message"] = std::move(message);
    } else {
        choice["text"] = a.text;
    }
    choice["logprobs"] = nullptr;
    choice["finish_reason"] = word;
    auto body = json_of(head, is_chat ? "chat.completion" : "text_completion");
    body["choices"] = json::array({std::move(choice)});
    body["usage"] = json_of(a.usage);
    return dump_json(body);
}

}  // namespace tandem::gateway
