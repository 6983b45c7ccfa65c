#include "recording/prompt_redaction_json.hpp"

#include "wire/json/json_limits.hpp"
#include "wire/json/json_text.hpp"
#include "wire/json/wire_limits.hpp"
#include "wire/stream/completion_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace tandem::wire {
namespace {

constexpr json_limits body_bounds{.depth = max_depth, .values = max_answer_values};

// Members of a request body that contain prompts.
constexpr std::array request_members{"prompt",
                                     "messages",
                                     "tools",
                                     "content",
                                     "tokens",
                                     "stop",
                                     "json_schema",
                                     "grammar",
                                     "logit_bias",
                                     "dry_sequence_breakers",
                                     "chat_template_kwargs"};
// Members of an answer that contain prompts, also in each object of a list such as that of /slots.
constexpr std::array answer_members{
    "prompt", "content", "tokens", "generated", "params", "generation_settings", "__verbose"};
// Events without any of these members contain only generated text.
constexpr std::array event_members{"prompt", "generation_settings", "stopping_word", "error",
                                   "message"};
// Members of an error that are kept, as is the message with its text blanked.
constexpr std::array error_members{"code", "type", "n_prompt_tokens", "n_ctx"};
constexpr std::array<std::string_view, 6> paths{completion_path, "/apply-template",
                                                "/tokenize",     "/detokenize",
                                                "/slots",        "/v1/chat/completions"};

// Fields of an event stream that contain no part of the answer; "" stands for blank lines and
// comments. The field "error" of old servers and unknown fields are not listed, because they may
// contain anything.
constexpr std::array<std::string_view, 4> plain_fields{"", "event", "id", "retry"};

json parsed_body(std::string_view body) {
    if (check_json(body, body_bounds) != json_fault::none) return {};
    return json::parse(body, nullptr, false);
}

void blank_value(json& value) {
    if (value.is_string())
        value = std::string(value.get_ref<const std::string&>().size(), 'x');
    else if (value.is_array())
        std::fill(value.begin(), value.end(), json(0));
    else
        value = nullptr;
}

// A server may quote the request anywhere in an error, so only the members that tandem reads are
// kept.
void blank_error(json& error) {
    if (!error.is_object()) return blank_value(error);
    json kept = json::object();
    for (const auto* name : error_members)
        if (const auto found = error.find(name); found != error.end() && !found->is_structured())
            kept[name] = *found;
    if (error.contains("message")) blank_value(kept["message"] = error["message"]);
    error = std::move(kept);
}

// Old servers send the members of "error" at the top level.
void blank_errors(json& value) {
    if (!value.contains("error")) {
        if (value.contains("message")) blank_error(value);
        return;
    }
    blank_error(value["error"]);
    value.erase("message");
}

void blank_members(json& value) {
    if (value.is_array())
        for (auto& item : value) blank_members(item);
    if (!value.is_object()) return;
    for (const auto* name : answer_members)
        if (const auto found = value.find(name); found != value.end()) blank_value(*found);
    blank_errors(value);
}

}  // namespace

bool path_carries_prompts(std::string_view path) {
    return std::ranges::find(paths, path.substr(0, path.find('?'))) != paths.end();
}

std::string remove_request_prompts(std::string_view path, std::string_view body) {
    if (!path_carries_prompts(path)) return std::string(body);
    auto value = parsed_body(body);
    if (!value.is_object()) return {};
    for (const auto* name : request_members) value.erase(name);
    return dump_json(value);
}

std::string remove_answer_prompts(std::string_view path, std::string_view body) {
    if (!path_carries_prompts(path)) return std::string(body);
    auto value = parsed_body(body);
    if (!value.is_structured()) return {};
    blank_members(value);
    return dump_json(value);
}

std::string remove_stream_line_prompts(std::string_view line) {
    const auto field = line.substr(0, line.find_first_of(":\r\n"));
    if (field != "data" && field != "error")
        return std::ranges::find(plain_fields, field) == plain_fields.end() ? ""
                                                                            : std::string(line);
    auto value = parsed_body(line.substr(std::min(field.size() + 1, line.size())));
    if (!value.is_object()) return {};
    const auto is_there = [&](const char* name) { return value.contains(name); };
    if (field == "data" && std::ranges::none_of(event_members, is_there)) return std::string(line);
    for (const auto* name : {"prompt", "generation_settings", "stopping_word"}) value.erase(name);
    blank_errors(value);
    return fmt::format("{}: {}\n", field, dump_json(value));
}

}  // namespace tandem::wire
