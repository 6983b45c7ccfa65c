#include "wire/calls/answer_reader.hpp"
#include "wire/calls/server_messages.hpp"
#include "wire/calls/token_list_reader.hpp"
#include "wire/json/json_limits.hpp"
#include "wire/json/wire_limits.hpp"
#include "wire/stream/sanitize_server_text.hpp"
#include "wire/stream/server_error.hpp"

#include <utility>

namespace tandem::wire {
namespace {

std::string file_name(const std::string& path) {
    return path.substr(path.find_last_of("/\\") + 1);
}

server_props props_of(const json& body) {
    server_props p;
    p.total_slots = int_or(body, "total_slots", 0);
    p.context_per_slot = int_or(member(body, "default_generation_settings"), "n_ctx", 0);
    const auto path = string_or(body, "model_path");
    const auto alias = string_or(body, "model_alias");
    // Without --alias, the server reports the model's path as its alias.
    const bool has_alias = !alias.empty() && alias != path;
    p.model = sanitize_server_text(has_alias ? alias : file_name(path));
    p.model_path = sanitize_server_text(path);
    p.build_info = sanitize_server_text(string_or(body, "build_info"));
    p.chat_template = string_or(body, "chat_template");
    p.bos_token = string_or(body, "bos_token");
    p.eos_token = string_or(body, "eos_token");
    p.is_sleeping = bool_or(body, "is_sleeping", p.is_sleeping);
    p.has_slots_endpoint = bool_or(body, "endpoint_slots", p.has_slots_endpoint);
    p.has_metrics_endpoint = bool_or(body, "endpoint_metrics", p.has_metrics_endpoint);
    p.has_props_endpoint = bool_or(body, "endpoint_props", p.has_props_endpoint);
    return p;
}

error_code refuse_router(int http_status, diagnostics& diag) {
    diag.http_status = http_status;
    diag.client_message =
        "/props: the server is a router of several models; use the URL of one of its servers";
    diag.server_message.clear();
    return errc::not_supported;
}

error_code refuse_half_call(response_view a, diagnostics& diag) {
    diag.http_status = a.http_status;
    diag.client_message = "the model's tool call has arguments that are not JSON";
    diag.server_message.clear();
    return errc::invalid_tool_call;
}

/// Some builds send an object, others an array with one object.
int decoded_tokens(const json& slot) {
    const auto& next = member(slot, "next_token");
    return int_or(next.is_array() && !next.empty() ? next.front() : next, "n_decoded", 0);
}

slot_state slot_of(int id, const json& body) {
    slot_state s;
    s.id = id;
    s.context = int_or(body, "n_ctx", 0);
    s.processing = bool_or(body, "is_processing", false);
    s.speculative = bool_or(body, "speculative", false);
    if (int task = 0; read_int(member(body, "id_task"), 0, task)) s.task = task;
    s.prompt_tokens = int_or(body, "n_prompt_tokens", 0);
    s.cached_tokens = int_or(body, "n_prompt_tokens_cache", 0);
    s.evaluated_tokens = int_or(body, "n_prompt_tokens_processed", 0);
    s.decoded = decoded_tokens(body);
    return s;
}

struct slot_file_keys {
    const char* tokens;
    const char* bytes;
    const char* ms;
};

error_code decode_slot_file(response_view a, const slot_file_keys& keys, slot_file_result& out,
                            diagnostics& diag) {
    json body;
    if (const auto ec = parse_answer("/slots", a, body, diag)) return ec;
    slot_file_result result;
    if (!read_int(member(body, keys.tokens), 0, result.tokens))
        return make_bad_response_error("/slots", a.http_status,
                                       std::string("it has no ") + keys.tokens, diag);
    result.bytes = int64_or(body, keys.bytes, 0);
    result.ms = number_or(member(body, "timings"), keys.ms, 0);
    out = result;
    return {};
}

error_code decode_member(std::string_view path, const char* name, response_view a, std::string& out,
                         diagnostics& diag) {
    json body;
    if (const auto ec = parse_answer(path, a, body, diag)) return ec;
    const auto& text = member(body, name);
    if (!text.is_string())
        return make_bad_response_error(path, a.http_status, "it has no text", diag);
    out = text.get<std::string>();
    return {};
}

}  // namespace

error_code decode_health(response_view a, diagnostics& diag) {
    json body;
    if (const auto ec = parse_answer("/health", a, body, diag)) return ec;
    if (string_or(body, "status") == "ok") return {};
    return make_bad_response_error("/health", a.http_status, "its status is not \"ok\"", diag);
}

error_code decode_props(response_view a, server_props& out, diagnostics& diag) {
    json body;
    if (const auto ec = parse_answer("/props", a, body, diag)) return ec;
    if (string_or(body, "role") == "router") return refuse_router(a.http_status, diag);
    auto props = props_of(body);
    if (props.total_slots < 1)
        return make_bad_response_error("/props", a.http_status, "it has no total_slots", diag);
    out = std::move(props);
    return {};
}

error_code decode_slots(response_view a, std::vector<slot_state>& out, diagnostics& diag) {
    json body;
    if (const auto ec = parse_answer("/slots", a, body, diag)) return ec;
    if (!body.is_array())
        return make_bad_response_error("/slots", a.http_status, "it is not a list", diag);
    std::vector<slot_state> slots;
    for (const auto& item : body) {
        int id = 0;
        if (!read_int(member(item, "id"), 0, id))
            return make_bad_response_error("/slots", a.http_status, "a slot has no id", diag);
        slots.push_back(slot_of(id, item));
    }
    out = std::move(slots);
    return {};
}

error_code decode_adapters(response_view a, std::vector<server_adapter>& out, diagnostics& diag) {
    constexpr std::string_view path = "/lora-adapters";
    json body;
    if (const auto ec = parse_answer(path, a, body, diag)) return ec;
    if (!body.is_array())
        return make_bad_response_error(path, a.http_status, "it is not a list", diag);
    std::vector<server_adapter> adapters;
    for (const auto& item : body) {
        server_adapter adapter;
        if (!read_int(member(item, "id"), 0, adapter.id))
            return make_bad_response_error(path, a.http_status, "an adapter has no id", diag);
        adapter.path = sanitize_server_text(string_or(item, "path"));
        // May be negative.
        if (const auto& scale = member(item, "scale"); scale.is_number())
            adapter.scale = scale.get<double>();
        adapters.push_back(std::move(adapter));
    }
    out = std::move(adapters);
    return {};
}

error_code decode_set_adapters_answer(response_view a, diagnostics& diag) {
    json body;
    if (const auto ec = parse_answer("/lora-adapters", a, body, diag)) return ec;
    if (bool_or(body, "success", false)) return {};
    return make_bad_response_error("/lora-adapters", a.http_status, "it does not report success",
                                   diag);
}

error_code decode_tokens(response_view a, std::vector<token_id>& out, diagnostics& diag) {
    if (std::vector<token_id> ids; a.http_status == 200 && read_token_list(a.body, ids)) {
        out = std::move(ids);
        return {};
    }
    json body;
    if (const auto ec = parse_answer("/tokenize", a, body, diag)) return ec;
    const auto& list = member(body, "tokens");
    if (!list.is_array())
        return make_bad_response_error("/tokenize", a.http_status, "it has no list of tokens",
                                       diag);
    std::vector<token_id> ids(list.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
        if (!read_int(list[i], 0, ids[i]))
            return make_bad_response_error("/tokenize", a.http_status, "a token is of another kind",
                                           diag);
    out = std::move(ids);
    return {};
}

error_code decode_rendered_prompt(response_view a, std::string& out, diagnostics& diag) {
    return decode_member("/apply-template", "prompt", a, out, diag);
}

error_code decode_detokenized_text(response_view a, std::string& out, diagnostics& diag) {
    return decode_member("/detokenize", "content", a, out, diag);
}

namespace {

// Arguments must be an object, because templates that iterate over them reject anything else.
bool is_object_text(const std::string& text) {
    const auto begin = text.find_first_not_of(" \t\r\n");
    constexpr json_limits bounds{.depth = max_depth, .values = max_answer_values};
    return begin != std::string::npos && text[begin] == '{' &&
           check_json(text, bounds) == json_fault::none;
}

}  // namespace

error_code decode_parsed_reply(response_view a, parsed_reply& out, diagnostics& diag) {
    constexpr std::string_view path = "/v1/chat/completions";
    json body;
    if (const auto ec = parse_answer(path, a, body, diag)) return ec;
    const auto& choices = member(body, "choices");
    if (!choices.is_array() || choices.empty())
        return make_bad_response_error(path, a.http_status, "it has no choices", diag);
    const auto& message = member(choices.front(), "message");
    if (!message.is_object())
        return make_bad_response_error(path, a.http_status, "it has no message", diag);
    parsed_reply parsed{.content = string_or(message, "content")};
    for (const auto& call : member(message, "tool_calls")) {
        const auto& function = member(call, "function");
        parsed.calls.push_back({.id = string_or(call, "id"),
                                .name = string_or(function, "name"),
                                .arguments = string_or(function, "arguments")});
        if (parsed.calls.back().name.empty())
            return make_bad_response_error(path, a.http_status, "a call has no name", diag);
        if (!is_object_text(parsed.calls.back().arguments)) return refuse_half_call(a, diag);
        if (parsed.calls.size() == max_calls_of_a_reply) break;
    }
    out = std::move(parsed);
    return {};
}

// Checks the finish reason, because the server completes the JSON of a call that the limit cut off.
error_code decode_forced_reply(response_view a, parsed_reply& out, diagnostics& diag) {
    json body;
    if (const auto ec = parse_answer("/v1/chat/completions", a, body, diag)) return ec;
    const auto& choices = member(body, "choices");
    const bool has_choice = choices.is_array() && !choices.empty();
    if (!has_choice || string_or(choices.front(), "finish_reason") != "length")
        return decode_parsed_reply(a, out, diag);
    diag.http_status = a.http_status;
    diag.client_message = "the tool call that the server generates under its grammar does not end";
    return errc::invalid_tool_call;
}

error_code decode_slot_erased(response_view a, int& erased, diagnostics& diag) {
    json body;
    if (const auto ec = parse_answer("/slots", a, body, diag)) return ec;
    if (!read_int(member(body, "n_erased"), 0, erased))
        return make_bad_response_error("/slots", a.http_status, "it has no n_erased", diag);
    return {};
}

error_code decode_slot_saved(response_view a, slot_file_result& out, diagnostics& diag) {
    return decode_slot_file(a, {"n_saved", "n_written", "save_ms"}, out, diag);
}

error_code decode_slot_restored(response_view a, slot_file_result& out, diagnostics& diag) {
    return decode_slot_file(a, {"n_restored", "n_read", "restore_ms"}, out, diag);
}

}  // namespace tandem::wire
