#include "gateway/requests/completion_request.hpp"

#include "gateway/json/request_body.hpp"
#include "gateway/requests/message_reader.hpp"
#include "gateway/requests/request_constraints.hpp"
#include "gateway/requests/request_options.hpp"
#include "wire/calls/request_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <utility>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

bool read_prompt(field_reader& fields, const json& body, std::string& out) {
    const auto* prompt = field_reader::find(body, "prompt");
    if (!prompt) return fields.fail_missing("prompt");
    if (!prompt->is_array()) return fields.read(body, "", "prompt", out);
    if (prompt->size() != 1)
        return fields.fail_unsupported(
            "prompt", fmt::format("has {} items; only one string is supported", prompt->size()));
    const auto& item = prompt->front();
    if (!item.is_string())
        return fields.fail_wrong_type(item, append_path("prompt", 0), "a string");
    out = item.get<std::string>();
    return true;
}

bool refuse_echo(field_reader& fields, const json& body) {
    bool echo = false;
    if (!fields.read(body, "", "echo", echo)) return false;
    return !echo ||
           fields.fail_unsupported("echo", "is not supported: put the prompt before the text");
}

bool refuse_suffix(field_reader& fields, const json& body) {
    std::string suffix;
    if (!fields.read(body, "", "suffix", suffix)) return false;
    return suffix.empty() || fields.fail_unsupported("suffix", "is not supported");
}

bool refuse_logprobs_count(field_reader& fields, const json& body) {
    const auto* logprobs = field_reader::find(body, "logprobs");
    return !logprobs || *logprobs == false ||
           fields.fail_unsupported("logprobs", "are not supported");
}

bool refuse_template_options(field_reader& fields, const json& body) {
    for (const auto name : wire::template_field_names())
        if (!extract_members(body, {&name, 1}).empty())
            return fields.fail_unsupported(std::string(name), std::string(no_template_message));
    return true;
}

/// Rejects limits on reasoning, because the text of a completion includes the reasoning.
bool refuse_reasoning_limits(field_reader& fields, const json& body) {
    for (const auto* name : {"reasoning_limit_ms", "reasoning_limit_tokens"}) {
        const auto* limit = field_reader::find(body, name);
        if (limit && *limit != 0)
            return fields.fail_unsupported(name, "is for chat completions only; leave it out");
    }
    return true;
}

/// Removes the gateway's default functions, which are for chats.
void clear_tools(generation_options& out) {
    out.tools.clear();
    out.tool_choice.clear();
    out.parallel_tool_calls = true;
}

bool read(field_reader& fields, const json& body, completion_request& out) {
    clear_tools(out.options);
    return read_prompt(fields, body, out.prompt) && check_words(fields, out.prompt, "prompt") &&
           read_options(fields, body, out) && refuse_echo(fields, body) &&
           refuse_suffix(fields, body) && refuse_logprobs_count(fields, body) &&
           refuse_template_options(fields, body) && refuse_reasoning_limits(fields, body) &&
           read_text_constraints(fields, body, out.options) &&
           check_options(fields, body, out.options);
}

}  // namespace

std::variant<completion_request, api_error> read_completion_request(
    std::string_view body, const request_defaults& defaults) {
    json root;
    if (auto fault = parse_body(body, defaults.max_body_bytes, root)) return *std::move(fault);
    field_reader fields;
    completion_request request;
    request.options = defaults.generation;
    request.stream_by = defaults.stream_by;
    if (!read(fields, root, request)) return std::move(fields).fault();
    return request;
}

}  // namespace tandem::gateway
