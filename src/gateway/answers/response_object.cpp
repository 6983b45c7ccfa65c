#include "gateway/answers/response_object.hpp"

#include "gateway/json/cache_break_json.hpp"
#include "gateway/json/json_text.hpp"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

/// "resp_abc" → "msg_abc_0".
std::string make_item_id(std::string_view prefix, const response_head& head, std::size_t index) {
    const auto unique = std::string_view(head.id).substr(head.id.find('_') + 1);
    return fmt::format("{}_{}_{}", prefix, unique, index);
}

json make_text_part(std::string_view text) {
    return {{"type", "output_text"},
            {"text", text},
            {"annotations", json::array()},
            {"logprobs", json::array()}};
}

json make_message(std::string id, std::string_view status, json content) {
    return {{"id", std::move(id)},
            {"type", "message"},
            {"status", status},
            {"role", "assistant"},
            {"content", std::move(content)}};
}

json make_reasoning(std::string id, std::string_view status, json content) {
    return {{"id", std::move(id)},
            {"type", "reasoning"},
            {"status", status},
            {"summary", json::array()},
            {"content", std::move(content)}};
}

json make_reasoning_part(std::string_view text) {
    return {{"type", "reasoning_text"}, {"text", text}};
}

json make_call(std::string id, std::string_view status, const tool_call& call,
               std::string_view arguments) {
    return {{"id", std::move(id)}, {"type", "function_call"}, {"status", status},
            {"call_id", call.id},  {"name", call.name},       {"arguments", arguments}};
}

json make_usage(const answer_usage& u) {
    json out{{"input_tokens", u.prompt_tokens},
             {"input_tokens_details", {{"cached_tokens", u.cached_tokens}}},
             {"output_tokens", u.completion_tokens},
             {"output_tokens_details", {{"reasoning_tokens", u.reasoning_tokens}}},
             {"total_tokens", u.prompt_tokens + u.completion_tokens}};
    add_cache_break(out, u.cache_break);
    return out;
}

json make_response(const response_head& head, std::string_view status, json output) {
    json r{{"id", head.id},
           {"object", "response"},
           {"created_at", head.created},
           {"status", status},
           {"error", nullptr},
           {"incomplete_details", nullptr},
           {"model", head.model},
           {"output", std::move(output)},
           {"usage", nullptr}};
    r.update(json::parse(head.repeated));
    return r;
}

/// The status of a complete answer, and of its last item.
std::string_view status_of(finish_reason reason) {
    return reason == finish_reason::length ? "incomplete" : "completed";
}

json make_finished_response(const response_head& head, finish_reason reason,
                            const answer_usage& usage, json output) {
    auto r = make_response(head, status_of(reason), std::move(output));
    if (reason == finish_reason::length)
        r["incomplete_details"] = {{"reason", "max_output_tokens"}};
    r["usage"] = make_usage(usage);
    return r;
}

}  // namespace

response_stream::response_stream(response_head head, event_format format)
    : head_(std::move(head)), format_(format) {}

void response_stream::append_event(std::string_view type, json fields, std::string& out) {
    json event{{"type", type}, {"sequence_number", sequence_++}};
    event.update(fields);
    if (format_ == event_format::lines)
        out.append(dump_json(event)) += '\n';
    else
        fmt::format_to(std::back_inserter(out), "event: {}\ndata: {}\n\n", type, dump_json(event));
}

void response_stream::begin(std::string& out) {
    if (std::exchange(has_begun_, true)) return;
    const json fields{{"response", make_response(head_, "in_progress", json::array())}};
    append_event("response.created", fields, out);
    append_event("response.in_progress", fields, out);
}

// Fields that locate the growing part of the open item.
response_stream::json response_stream::make_position_fields() const {
    const auto prefix = open_ == part::reasoning ? "rs" : "msg";
    return {{"item_id", make_item_id(prefix, head_, output_.size())},
            {"output_index", output_.size()},
            {"content_index", 0}};
}

response_stream::json response_stream::make_call_position_fields() const {
    return {{"item_id", make_item_id("fc", head_, output_.size())},
            {"output_index", output_.size()}};
}

void response_stream::add_item(const json& item, std::string& out) {
    append_event("response.output_item.added", {{"output_index", output_.size()}, {"item", item}},
                 out);
}

void response_stream::finish_item(json item, std::string& out) {
    append_event("response.output_item.done", {{"output_index", output_.size()}, {"item", item}},
                 out);
    output_.push_back(std::move(item));
}

void response_stream::open(part what, std::string& out) {
    begin(out);
    if (open_ == what) return;
    close_part("completed", out);
    open_ = what;
    const auto id = make_position_fields()["item_id"].get<std::string>();
    const bool is_text = what == part::message;
    add_item(is_text ? make_message(id, "in_progress", json::array())
                     : make_reasoning(id, "in_progress", json::array()),
             out);
    auto fields = make_position_fields();
    fields["part"] = is_text ? make_text_part("") : make_reasoning_part("");
    append_event("response.content_part.added", std::move(fields), out);
}

void response_stream::close_part(std::string_view status, std::string& out) {
    if (open_ == part::none) return;
    if (open_ == part::call) return close_call(status, out);
    const bool is_text = open_ == part::message;
    const auto at = make_position_fields();
    const auto whole = std::exchange(open_text_, {});
    const auto content = is_text ? make_text_part(whole) : make_reasoning_part(whole);
    auto done = at;
    done["text"] = whole;
    if (is_text) done["logprobs"] = json::array();
    append_event(is_text ? "response.output_text.done" : "response.reasoning_text.done",
                 std::move(done), out);
    auto part_done = at;
    part_done["part"] = content;
    append_event("response.content_part.done", std::move(part_done), out);
    const auto make = is_text ? make_message : make_reasoning;
    open_ = part::none;
    finish_item(make(at["item_id"].get<std::string>(), status, json::array({content})), out);
}

void response_stream::write_text_piece(std::string_view text, std::string& out) {
    if (text.empty() || has_ended_) return;
    open(part::message, out);
    open_text_ += text;
    auto fields = make_position_fields();
    fields["delta"] = text;
    fields["logprobs"] = json::array();
    append_event("response.output_text.delta", std::move(fields), out);
}

void response_stream::write_reasoning_piece(std::string_view text, std::string& out) {
    if (text.empty() || has_ended_) return;
    open(part::reasoning, out);
    open_text_ += text;
    auto fields = make_position_fields();
    fields["delta"] = text;
    append_event("response.reasoning_text.delta", std::move(fields), out);
}

void response_stream::write_call_piece(const tool_call& piece, std::string& out) {
    if (has_ended_) return;
    begin(out);
    if (!piece.name.empty()) {
        close_part("completed", out);
        open_ = part::call;
        open_call_ = {.id = piece.id, .name = piece.name};
        const auto id = make_call_position_fields()["item_id"].get<std::string>();
        add_item(make_call(id, "in_progress", open_call_, ""), out);
    }
    if (piece.arguments.empty()) return;
    open_call_.arguments += piece.arguments;
    auto delta = make_call_position_fields();
    delta["delta"] = piece.arguments;
    append_event("response.function_call_arguments.delta", std::move(delta), out);
}

void response_stream::close_call(std::string_view status, std::string& out) {
    const auto at = make_call_position_fields();
    open_ = part::none;
    if (status == "completed") {
        auto done = at;
        done["name"] = open_call_.name;
        done["arguments"] = open_call_.arguments;
        append_event("response.function_call_arguments.done", std::move(done), out);
    }
    auto id = at["item_id"].get<std::string>();
    finish_item(make_call(std::move(id), status, open_call_, open_call_.arguments), out);
}

void response_stream::end(finish_reason reason, const answer_usage& usage, std::string& out) {
    if (has_ended_) return;
    if (!is_complete({.reason = reason})) return end_with_error(make_cut_short_error(reason), out);
    begin(out);
    close_part(status_of(reason), out);
    has_ended_ = true;
    const auto type = fmt::format("response.{}", status_of(reason));
    append_event(type, {{"response", make_finished_response(head_, reason, usage, output_)}}, out);
}

void response_stream::end_with_error(const api_error& error, std::string& out) {
    if (has_ended_) return;
    begin(out);
    close_part("incomplete", out);
    has_ended_ = true;
    auto r = make_response(head_, "failed", output_);
    r["error"] = {{"code", error.code}, {"message", error.message}};
    append_event("response.failed", {{"response", std::move(r)}}, out);
}

void response_stream::write_keep_alive(std::string& out) const {
    if (!has_ended_ && format_ == event_format::server_sent) out += ": keep-alive\n\n";
}

std::string encode_response(const response_head& head, const finished_answer& a) {
    auto output = json::array();
    const auto next_id = [&](std::string_view prefix) {
        return make_item_id(prefix, head, output.size());
    };
    const bool has_only_thought = a.text.empty() && a.calls.empty();
    if (!a.reasoning.empty())
        output.push_back(make_reasoning(next_id("rs"),
                                        has_only_thought ? status_of(a.reason) : "completed",
                                        json::array({make_reasoning_part(a.reasoning)})));
    if (!a.text.empty())
        output.push_back(make_message(next_id("msg"),
                                      a.calls.empty() ? status_of(a.reason) : "completed",
                                      json::array({make_text_part(a.text)})));
    for (const auto& call : a.calls)
        output.push_back(make_call(next_id("fc"), "completed", call, call.arguments));
    return dump_json(make_finished_response(head, a.reason, a.usage, std::move(output)));
}

}  // namespace tandem::gateway
