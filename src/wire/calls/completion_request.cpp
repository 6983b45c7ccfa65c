#include "wire/calls/completion_request.hpp"

#include "wire/calls/server_messages.hpp"
#include "wire/calls/tool_call_formats.hpp"
#include "wire/json/json_text.hpp"

#include <fmt/format.h>

namespace tandem::wire {
namespace {

void append_part(const prompt_part& part, std::string& out) {
    if (const auto* text = std::get_if<std::string_view>(&part))
        append_string(*text, out);
    else
        append_ids(std::get<std::span<const token_id>>(part), out);
}

bool is_empty(const prompt_part& part) noexcept {
    return std::visit([](const auto& p) { return p.empty(); }, part);
}

/// Writes a single text part as a string, and anything else as an array of strings and ids.
void append_prompt(std::span<const prompt_part> parts, std::string& out) {
    if (parts.size() == 1 && std::holds_alternative<std::string_view>(parts[0]))
        return append_part(parts[0], out);
    out += '[';
    for (const auto& part : parts) {
        if (is_empty(part)) continue;
        if (out.back() != '[') out += ',';
        append_part(part, out);
    }
    out += ']';
}

// llama.cpp's LLAMA_DEFAULT_SEED. Sent explicitly, because a server started with a seed uses that
// seed if a request contains none.
constexpr std::int64_t new_seed_each_time = 0xFFFFFFFF;

// Control tokens of gpt-oss, which writes reasoning and calls to channels. The server hides such
// tokens unless they are listed, and ignores listed tokens that its model lacks.
constexpr const char* channel_tokens[]{"<|channel|>", "<|constrain|>", "<|message|>", "<|start|>"};

json sampling_fields(const generation_options& o) {
    json fields = json::object();
    const auto add = [&](const char* name, const auto& value) {
        if (value) fields[name] = *value;
    };
    add("temperature", o.temperature);
    add("top_p", o.top_p);
    add("top_k", o.top_k);
    add("min_p", o.min_p);
    add("repeat_penalty", o.repeat_penalty);
    add("repeat_last_n", o.repeat_last_n);
    add("presence_penalty", o.presence_penalty);
    add("frequency_penalty", o.frequency_penalty);
    if (o.seed) fields["seed"] = *o.seed < 0 ? new_seed_each_time : *o.seed;
    if (!o.stop.empty()) fields["stop"] = o.stop;
    if (!o.grammar.empty()) fields["grammar"] = o.grammar;
    return fields;
}

json fields_of(const generation_options& options, prompt_progress_mode report) {
    auto fields = sampling_fields(options);
    fields["stream"] = true;
    fields["return_tokens"] = true;
    fields[report == prompt_progress_mode::progress ? "return_progress" : "timings_per_token"] =
        true;
    // Without this list, the final event repeats the whole prompt and all settings.
    fields["response_fields"] = {"content",          "tokens",           "stop",
                                 "stop_type",        "stopping_word",    "id_slot",
                                 "tokens_predicted", "tokens_evaluated", "tokens_cached",
                                 "truncated",        "timings"};
    return fields;
}

}  // namespace

std::string encode_completion_settings(const generation_options& options,
                                       std::span<const tag_pair> reasoning_tags,
                                       prompt_progress_mode report,
                                       std::span<const std::string> call_tokens) {
    auto fields = fields_of(options, report);
    for (const auto& pair : reasoning_tags)
        for (const auto& mark : {pair.open, pair.close}) fields["preserved_tokens"].push_back(mark);
    for (const auto* token : channel_tokens)
        if (!options.tools.empty()) fields["preserved_tokens"].push_back(token);
    for (const auto& token : call_tokens) fields["preserved_tokens"].push_back(token);
    const auto object = dump_json(fields);
    auto settings = object.substr(1, object.size() - 2);
    if (!options.lora.empty()) settings += R"(,"lora":)" + encode_adapter_list(options.lora);
    if (uses_call_schema(options))
        settings += R"(,"json_schema":)" + make_call_schema(options);
    else if (!options.json_schema.empty())
        settings += R"(,"json_schema":)" + compact_json(options.json_schema);
    append_members(options.sampling, settings);
    return settings;
}

std::string encode_completion_body(const completion_request& request) {
    std::string body = R"({"prompt":)";
    append_prompt(request.prompt, body);
    body +=
        fmt::format(R"(,"id_slot":{},"cache_prompt":{},)", request.id_slot, request.reuse_cache);
    if (request.n_predict >= 0) body += fmt::format(R"("n_predict":{},)", request.n_predict);
    body += request.settings;
    return body += '}';
}

}  // namespace tandem::wire
