#include "engine/events.hpp"

#include "answers/json_text.hpp"
#include "answers/tool_call_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <iterator>
#include <sstream>

namespace tandem::mock {
namespace {

using nlohmann::ordered_json;

double milliseconds(nanoseconds t) {
    return static_cast<double>(t.count()) / 1e6;
}
double each(double total, int n) {
    return n > 0 ? total / n : 0;
}
double per_second(int n, double ms) {
    return ms > 0 ? 1000 * n / ms : 0;
}

ordered_json timings(const progress_counts& c) {
    const int evaluated = c.prompt_tokens - c.cached;
    const double prompt_ms = milliseconds(c.prompt_time);
    const double predicted_ms = milliseconds(c.predict_time);
    return {{"cache_n", c.cached},
            {"prompt_n", evaluated},
            {"prompt_ms", prompt_ms},
            {"prompt_per_token_ms", each(prompt_ms, evaluated)},
            {"prompt_per_second", per_second(evaluated, prompt_ms)},
            {"predicted_n", c.predicted},
            {"predicted_ms", predicted_ms},
            {"predicted_per_token_ms", each(predicted_ms, c.predicted)},
            {"predicted_per_second", per_second(c.predicted, predicted_ms)}};
}

const char* name_of(stop_kind k) {
    switch (k) {
        case stop_kind::eos:
            return "eos";
        case stop_kind::word:
            return "word";
        case stop_kind::limit:
            return "limit";
        case stop_kind::none:
            break;
    }
    return "none";
}

ordered_json generation_settings(const completion_request& r) {
    return {{"n_predict", r.n_predict},
            {"temperature", r.temperature},
            {"top_k", r.top_k},
            {"top_p", r.top_p},
            {"seed", r.seed},
            {"stop", r.stop},
            {"ignore_eos", r.ignore_eos},
            {"stream", r.stream},
            {"timings_per_token", r.timings_per_token}};
}

const ordered_json* walk(const ordered_json& all, const std::string& path) {
    const ordered_json* at = &all;
    std::istringstream keys(path);
    for (std::string key; std::getline(keys, key, '/');) {
        if (!at->is_object() || !at->contains(key)) return nullptr;
        at = &at->at(key);
    }
    return at;
}

// Keeps only the wanted fields. A path such as "timings/prompt_n" selects a nested field, whose new
// name is the whole path.
ordered_json select_fields(const ordered_json& all, const std::vector<std::string>& wanted) {
    ordered_json out = ordered_json::object();
    for (const std::string& path : wanted) {
        if (const ordered_json* value = walk(all, path)) out[path] = *value;
    }
    return out;
}

ordered_json describe(const function_call& call) {
    return {{"type", "function"},
            {"function", {{"name", call.name}, {"arguments", call.arguments}}},
            {"id", make_call_id()}};
}

ordered_json message_of(const parsed_text& parsed) {
    ordered_json message{{"role", "assistant"}, {"content", parsed.content}};
    for (const auto& call : parsed.calls) message["tool_calls"].push_back(describe(call));
    return message;
}

const char* finish_reason(const parsed_text& parsed, const generation& g) {
    if (g.stop() == stop_kind::limit) return "length";
    return parsed.calls.empty() ? "stop" : "tool_calls";
}

}  // namespace

std::string to_sse_event(const std::string& text) {
    return "data: " + text + "\n\n";
}

std::string token_event(const sampled_token& s, const progress_counts& c, bool with_timings) {
    std::string out;
    fmt::format_to(std::back_inserter(out),
                   R"(data: {{"index":0,"content":{},"tokens":[{}],"stop":false,"id_slot":-1,)"
                   R"("tokens_predicted":{},"tokens_evaluated":{})",
                   json_text(s.content), s.id, c.predicted, c.prompt_tokens);
    if (with_timings) out += ",\"timings\":" + json_text(timings(c));
    return out += "}\n\n";
}

std::string prompt_progress_event(const progress_counts& c) {
    // The server also sends the token id 0 here; it has no meaning.
    return to_sse_event(json_text({{"index", 0},
                                   {"content", ""},
                                   {"tokens", {0}},
                                   {"stop", false},
                                   {"id_slot", -1},
                                   {"tokens_predicted", 0},
                                   {"tokens_evaluated", c.prompt_tokens},
                                   {"prompt_progress",
                                    {{"total", c.prompt_tokens},
                                     {"cache", c.cached},
                                     {"processed", c.processed},
                                     {"time_ms", c.prompt_time.count() / 1000000}}}}));
}

std::string error_event(const api_error& e) {
    return to_sse_event(to_json(e));
}

std::string final_json(const completion_request& r, const generation& g, const progress_counts& c,
                       int slot, const std::string& model) {
    const bool whole = !r.stream;
    const ordered_json all{
        {"index", 0},
        {"content", whole ? g.text() : ""},
        {"tokens", whole && r.return_tokens ? g.tokens() : std::vector<token_id>{}},
        {"id_slot", slot},
        {"stop", true},
        {"model", model},
        {"tokens_predicted", c.predicted},
        {"tokens_evaluated", c.prompt_tokens},
        {"generation_settings", generation_settings(r)},
        {"prompt", detokenize_text(r.prompt)},
        {"has_new_line", g.has_new_line()},
        {"truncated", g.truncated()},
        {"stop_type", name_of(g.stop())},
        {"stopping_word", g.stopping_word()},
        {"tokens_cached", c.predicted > 0 ? c.prompt_tokens + c.predicted - 1 : 0},
        {"timings", timings(c)}};
    return json_text(r.response_fields.empty() ? all : select_fields(all, r.response_fields));
}

std::optional<std::string> chat_completion_json(const completion_request& r, const generation& g,
                                                const progress_counts& c,
                                                const std::string& model) {
    const auto parsed = parse_tool_calls(r.text_to_parse.value_or("") + g.text(), r.tools);
    if (!parsed) return std::nullopt;
    const ordered_json choice{{"finish_reason", finish_reason(*parsed, g)},
                              {"index", 0},
                              {"message", message_of(*parsed)}};
    return json_text({{"choices", ordered_json::array({choice})},
                      {"model", model},
                      {"object", "chat.completion"},
                      {"usage",
                       {{"completion_tokens", c.predicted},
                        {"prompt_tokens", c.prompt_tokens},
                        {"total_tokens", c.prompt_tokens + c.predicted}}},
                      {"timings", timings(c)}});
}

}  // namespace tandem::mock
