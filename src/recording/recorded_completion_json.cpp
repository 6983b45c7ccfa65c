#include "recording/recorded_completion_json.hpp"

#include "wire/calls/answer_reader.hpp"
#include "wire/json/json_limits.hpp"
#include "wire/json/json_text.hpp"
#include "wire/json/wire_limits.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace tandem::wire {
namespace {

constexpr json_limits body_limits{.depth = max_depth, .values = max_answer_values};

json timings_of(const timings& t) {
    return {{"cache_n", t.cached},
            {"prompt_n", t.evaluated},
            {"prompt_ms", t.prompt_ms},
            {"predicted_ms", t.predicted_ms}};
}

std::string as_event(const json& value) {
    return fmt::format("data: {}\n\n", dump_json(value));
}

json error_object(int code, std::string_view message) {
    const auto* type =
        code == status_not_implemented ? "not_supported_error" : "invalid_request_error";
    return {{"error", {{"code", code}, {"message", message}, {"type", type}}}};
}

}  // namespace

recorded_completion_request parse_recorded_request(std::string_view body) {
    recorded_completion_request asked;
    if (check_json(body, body_limits) != json_fault::none) return asked;
    const auto value = json::parse(body, nullptr, false);
    const auto& prompt = member(value, "prompt");
    if (!prompt.is_null()) asked.prompt = dump_json(prompt);
    if (prompt.is_string()) asked.prompt_text = prompt.get<std::string>();
    asked.id_slot = int_or(value, "id_slot", -1);
    asked.n_predict = int_or(value, "n_predict", -1);
    return asked;
}

std::string encode_stream_event(const token_event& e) {
    const bool is_final = e.what == token_event::kind::final;
    json out{{"index", 0},
             {"content", e.content},
             {"tokens", e.tokens},
             {"stop", is_final},
             {"id_slot", e.id_slot},
             {"tokens_predicted", e.predicted},
             {"tokens_evaluated", e.prompt_tokens}};
    if (e.has_timings) out["timings"] = timings_of(e.timings);
    if (e.what == token_event::kind::progress)
        out["prompt_progress"] = {{"total", e.prompt_tokens},
                                  {"cache", e.timings.cached},
                                  {"processed", e.timings.cached + e.timings.evaluated}};
    if (!is_final) return as_event(out);
    out["stop_type"] = stop_type_names[static_cast<std::size_t>(e.stop)];
    out["stopping_word"] = e.stopping_word;
    out["tokens_cached"] = e.slot_tokens;
    out["truncated"] = e.truncated;
    return as_event(out);
}

std::string encode_stream_refusal(std::string_view message) {
    return as_event(error_object(status_bad_request, message));
}

std::string make_error_body(int http_status, std::string_view message) {
    return dump_json(error_object(http_status, message));
}

}  // namespace tandem::wire
