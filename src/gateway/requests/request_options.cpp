#include "gateway/requests/request_options.hpp"

#include "gateway/adapters/adapter_request.hpp"
#include "gateway/json/json_text.hpp"
#include "wire/calls/request_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>

namespace tandem::gateway {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t max_pin_bytes = 512;

/// `max_completion_tokens` is the newer name, and takes precedence.
bool read_max_tokens(field_reader& fields, const json& body, int& out) {
    constexpr std::int64_t absent = std::numeric_limits<std::int64_t>::min();
    for (const char* key : {"max_tokens", "max_completion_tokens"}) {
        std::int64_t n = absent;
        if (!fields.read(body, "", key, n)) return false;
        if (n == absent) continue;
        // Clients of llama-server send -1 for no limit.
        if (n < -1 || n == 0)
            return fields.fail_invalid(key, "must be at least 1, or -1 for no limit");
        out = n == -1 ? 0 : static_cast<int>(std::min<std::int64_t>(n, 1'000'000));
    }
    return true;
}

/// OpenAI accepts any seed, but the server only 32 bits, of which the largest number requests a
/// random seed, as -1 does. Any other seed is reduced to the numbers below that.
bool read_seed(field_reader& fields, const json& body, std::optional<std::int64_t>& out) {
    constexpr std::int64_t seeds = 0xFFFFFFFF;
    std::optional<std::int64_t> n;
    if (!fields.read(body, "", "seed", n)) return false;
    if (n) out = *n == -1 ? -1 : (*n % seeds + seeds) % seeds;
    return true;
}

/// A client that sends 0 wants only the most likely token; the server needs a tiny value for that.
bool read_top_p(field_reader& fields, const json& body, std::optional<double>& out) {
    if (!fields.read(body, "", "top_p", out)) return false;
    if (out == 0) out = 1e-9;
    return true;
}

/// Values out of range are clamped.
bool read_int(field_reader& fields, const json& body, const char* key, std::int64_t least,
              std::int64_t most, std::optional<int>& out) {
    std::optional<std::int64_t> n;
    if (!fields.read(body, "", key, n)) return false;
    if (n) out = static_cast<int>(std::clamp(*n, least, most));
    return true;
}

bool add_stop(field_reader& fields, const json& value, const std::string& path,
              generation_options& out) {
    if (!value.is_string()) return fields.fail_wrong_type(value, path, "a string");
    // Some clients send an empty string for no stop word.
    if (!value.get_ref<const std::string&>().empty()) out.stop.push_back(value.get<std::string>());
    return true;
}

bool read_stop(field_reader& fields, const json& body, generation_options& out) {
    const auto* stop = field_reader::find(body, "stop");
    if (!stop) return true;
    out.stop.clear();
    if (stop->is_string()) return add_stop(fields, *stop, "stop", out);
    if (!stop->is_array())
        return fields.fail_wrong_type(*stop, "stop", "a string or a list of strings");
    for (std::size_t i = 0; i < stop->size(); ++i)
        if (!add_stop(fields, (*stop)[i], append_path("stop", i), out)) return false;
    return true;
}

bool read_sampling(field_reader& fields, const json& body, generation_options& out) {
    return read_max_tokens(fields, body, out.max_tokens) &&
           fields.read(body, "", "temperature", out.temperature) &&
           read_top_p(fields, body, out.top_p) &&
           // Some clients send -1 for all tokens. It is clamped to 0, which means the same.
           read_int(fields, body, "top_k", 0, 1'000'000, out.top_k) &&
           read_int(fields, body, "repeat_last_n", -1, 1'000'000, out.repeat_last_n) &&
           fields.read(body, "", "min_p", out.min_p) &&
           fields.read(body, "", "repeat_penalty", out.repeat_penalty) &&
           fields.read(body, "", "presence_penalty", out.presence_penalty) &&
           fields.read(body, "", "frequency_penalty", out.frequency_penalty) &&
           read_seed(fields, body, out.seed) && read_stop(fields, body, out);
}

/// Whether the value has no effect: some clients send it instead of omitting the field.
bool says_nothing(std::string_view name, const json& value) {
    return value == false || value == json::object() ||
           (name == "logit_bias" && value == json::array());
}

bool read_stream_by(field_reader& fields, const json& body, stream_by& out) {
    std::string unit;
    if (!fields.read(body, "", "stream_by", unit)) return false;
    if (unit == "chunk") out = stream_by::chunk;
    if (unit == "token") out = stream_by::token;
    return unit.empty() || unit == "chunk" || unit == "token" ||
           fields.fail_invalid("stream_by", R"(must be "chunk" or "token")");
}

bool read_stream(field_reader& fields, const json& body, generation_request& out) {
    if (!fields.read(body, "", "stream", out.stream)) return false;
    if (!read_stream_by(fields, body, out.stream_by)) return false;
    const auto* options = field_reader::find(body, "stream_options");
    if (!options) return true;
    if (!options->is_object())
        return fields.fail_wrong_type(*options, "stream_options", "an object");
    return fields.read(*options, "stream_options", "include_usage", out.include_usage);
}

bool read_count(field_reader& fields, const json& body, const char* key, std::optional<int>& out) {
    return read_int(fields, body, key, -1, std::numeric_limits<int>::max(), out);
}

bool read_milliseconds(field_reader& fields, const json& body, const char* key,
                       std::optional<duration>& out) {
    constexpr double max_ms = 24 * 3600 * 1000.0;
    std::optional<double> ms;
    if (!fields.read(body, "", key, ms)) return false;
    if (ms && !(*ms >= 0 && *ms <= max_ms))
        return fields.fail_invalid(key, fmt::format("must be 0 to {}", max_ms));
    if (ms) out = std::chrono::round<duration>(std::chrono::duration<double, std::milli>(*ms));
    return true;
}

/// Reads how to split a stream into chunks, and how long the model may reason. Requests do not
/// choose a pacing, because clients read the stream at their own pace.
bool read_delivery(field_reader& fields, const json& body, delivery_options& out) {
    return fields.read(body, "", "language", out.language) &&
           read_count(fields, body, "first_chunk_min_tokens", out.first_chunk_min_tokens) &&
           read_count(fields, body, "first_chunk_max_tokens", out.first_chunk_max_tokens) &&
           read_count(fields, body, "chunk_max_tokens", out.chunk_max_tokens) &&
           read_count(fields, body, "chunk_min_chars", out.chunk_min_chars) &&
           read_milliseconds(fields, body, "peek_hold_ms", out.peek_hold) &&
           read_milliseconds(fields, body, "chunk_deadline_ms", out.chunk_deadline) &&
           read_milliseconds(fields, body, "reasoning_limit_ms", out.reasoning_limit) &&
           read_count(fields, body, "reasoning_limit_tokens", out.reasoning_limit_tokens);
}

bool read_pin(field_reader& fields, const json& body, std::string& out) {
    for (const char* key : {"user", "prompt_cache_key", "session_id"}) {
        std::string pin;
        if (!fields.read(body, "", key, pin)) return false;
        if (pin.size() > max_pin_bytes)
            return fields.fail_invalid(
                key, fmt::format("has {} bytes; the maximum is {}", pin.size(), max_pin_bytes));
        if (!pin.empty()) out = std::move(pin);
    }
    return true;
}

/// Rejects requests for several answers.
bool refuse_several(field_reader& fields, const json& body, const char* key) {
    std::int64_t n = 1;
    if (!fields.read(body, "", key, n)) return false;
    return n == 1 || fields.fail_unsupported(key, fmt::format("is {}; only 1 is supported", n));
}

constexpr unsupported_field unsupported_fields[] = {
    {"function_call", R"("none")"},
    {"top_logprobs", "0"},
    {"verbosity"},
    {"web_search_options"},
};

/// A client's -1 means the whole context. Servers reject -1 since b11669, so a large number
/// replaces it.
json value_to_send(std::string_view name, const json& value) {
    return name == "dry_penalty_last_n" && value == -1 ? json(1'000'000) : value;
}

/// Returns the request's field for an option of the library. `sampling` and `template_options` each
/// combine several fields, of which only the returned one can be too large.
std::string field_of_request(const std::string& field) {
    if (field == "sampling") return "logit_bias";
    if (field == "peek_hold" || field == "chunk_deadline" || field == "reasoning_limit")
        return field + "_ms";
    return field == "template_options" ? "chat_template_kwargs" : field;
}

}  // namespace

std::string extract_members(const json& object, std::span<const std::string_view> names) {
    json given = json::object();
    for (const auto name : names) {
        const auto* value = field_reader::find(object, name);
        if (value && !says_nothing(name, *value))
            given[std::string(name)] = value_to_send(name, *value);
    }
    return given.empty() ? std::string() : dump_json(given);
}

bool reject_fields(field_reader& fields, const json& body,
                   std::span<const unsupported_field> unsupported) {
    for (const auto& [name, harmless] : unsupported) {
        const auto* value = field_reader::find(body, name);
        if (value && *value != false && *value != json::parse(harmless))
            return fields.fail_unsupported(name, "is not supported; leave it out");
    }
    return true;
}

bool read_options(field_reader& fields, const json& body, generation_request& out) {
    out.options.sampling = extract_members(body, wire::sampling_field_names());
    return fields.read(body, "", "model", out.model) && read_stream(fields, body, out) &&
           read_sampling(fields, body, out.options) && read_pin(fields, body, out.affinity_key) &&
           read_delivery(fields, body, out.options.delivery) && read_lora(fields, body, out.lora) &&
           refuse_several(fields, body, "n") && refuse_several(fields, body, "best_of") &&
           reject_fields(fields, body, unsupported_fields);
}

bool check_options(field_reader& fields, const json& body, const generation_options& options) {
    const auto faults = check(options);
    if (faults.empty()) return true;
    const auto& first = faults.front();
    if (first.field != "json_schema")
        return fields.fail_invalid(field_of_request(first.field), first.message);
    const bool is_plain_schema = field_reader::find(body, "json_schema") != nullptr;
    return fields.fail_invalid(is_plain_schema ? "json_schema" : "response_format", first.message);
}

}  // namespace tandem::gateway
