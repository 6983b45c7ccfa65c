#include "gateway/telemetry/audit_line.hpp"

#include "base/format_utc_time.hpp"
#include "gateway/json/json_text.hpp"

#include "tandem/duration.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <string_view>

namespace tandem::gateway {
namespace {

using nlohmann::ordered_json;

ordered_json field(std::string_view text) {
    return text_or_null(truncate_text(text, max_audit_field_bytes));
}

template <class Number>
ordered_json field(std::optional<Number> number) {
    return number ? ordered_json(*number) : ordered_json();
}

}  // namespace

std::string format_audit_line(const audit_record& r) {
    ordered_json line{{"time", format_utc_time(r.time)},
                      {"request_id", field(r.request_id)},
                      {"trace_id", field(r.trace_id)},
                      {"remote", field(r.remote)},
                      {"key", field(r.key)},
                      {"method", field(r.method)},
                      {"route", field(r.route)},
                      {"model", field(r.model)},
                      {"reply", field(r.reply)},
                      {"voice_reply", field(r.voice_reply)},
                      {"status", r.status},
                      {"tokens_in", field(r.tokens_in)},
                      {"tokens_out", field(r.tokens_out)},
                      {"ms", round_to_microseconds(to_ms(r.elapsed))},
                      {"finish_reason", field(r.finish_reason)},
                      {"error", field(r.error)}};
    if (r.prompt) line["prompt"] = truncate_text(*r.prompt, max_audit_prompt_bytes);
    constexpr bool is_ascii = true;
    return line.dump(-1, ' ', is_ascii, ordered_json::error_handler_t::replace);
}

std::string format_log_line(const audit_record& r) {
    auto line = fmt::format("request {}: {} {}: {} after {:.1f} ms", r.request_id,
                            truncate_text(r.method, max_audit_field_bytes),
                            r.route.empty() ? "elsewhere" : r.route,
                            r.status == 0 ? "nothing" : std::to_string(r.status),
                            round_to_microseconds(to_ms(r.elapsed)));
    if (r.reply) line += fmt::format(", reply {}", *r.reply);
    if (r.voice_reply) line += fmt::format(", voice reply {}", *r.voice_reply);
    if (!r.finish_reason.empty()) line += ", " + r.finish_reason;
    if (!r.error.empty()) line += ", " + r.error;
    if (!r.trace_id.empty()) line += ", trace " + r.trace_id;
    return line;
}

}  // namespace tandem::gateway
