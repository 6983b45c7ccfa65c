#include "recording/recording_line_json.hpp"

#include "base/find_error_code.hpp"
#include "text/characters/utf8.hpp"
#include "wire/calls/answer_reader.hpp"
#include "wire/json/json_limits.hpp"
#include "wire/json/json_text.hpp"
#include "wire/json/wire_limits.hpp"

#include <boost/algorithm/hex.hpp>

#include <cmath>
#include <iterator>
#include <utility>

namespace tandem::wire {
namespace {

constexpr int recording_version = 1;
constexpr json_limits line_limits{.depth = max_depth, .values = max_answer_values};
// About 30 years: keeps the nanoseconds well within 64 bits.
constexpr double max_recording_ms = 1e12;

constexpr const char* whole_answer = "whole";

// Writes the keys in the order of insertion, which is easier to read.
using object = nlohmann::ordered_json;

bool is_utf8(std::string_view bytes) {
    return text::find_invalid_utf8(bytes) == std::string_view::npos;
}

void put_bytes(object& out, const char* key, const std::string& bytes) {
    if (is_utf8(bytes)) {
        out[key] = bytes;
        return;
    }
    std::string digits;
    boost::algorithm::hex_lower(bytes, std::back_inserter(digits));
    out[std::string(key) + "_hex"] = digits;
}

void put(object& out, const recording_start& e) {
    out["recording"] = recording_version;
    out["began"] = e.began;
    out["prompts"] = e.has_prompts;
}

void put(object& out, const recorded_request& e) {
    out["request"] = e.number;
    out["server"] = e.server;
    out["method"] = e.method;
    out["path"] = e.path;
    if (e.reply_key) {
        out["reply"] = e.reply_key->reply;
        out["text_bytes"] = e.reply_key->text_bytes;
        if (e.reply_key->is_prefill) out["prefill"] = true;
    }
    if (!e.body.empty()) put_bytes(out, "body", e.body);
}

void put(object& out, const recorded_status& e) {
    out["answer"] = e.request;
    out["status"] = e.http_status;
}

void put(object& out, const recorded_bytes& e) {
    out["answer"] = e.request;
    put_bytes(out, "data", e.bytes);
}

void put(object& out, const recorded_end& e) {
    out["answer"] = e.request;
    out["end"] = e.ec ? error_name(e.ec) : whole_answer;
    if (!e.message.empty()) out["message"] = e.message;
}

void put(object& out, const recorded_cut& e) {
    out["cut"] = e.request;
}

void put(object& out, const recorded_note& e) {
    auto value = object::parse(e.json, nullptr, false);
    out["note"] = value.is_discarded() ? object() : std::move(value);
}

void put(object& out, const recording_full&) {
    out["full"] = true;
}

std::string bytes_of(const json& line, const std::string& key) {
    const auto digits = string_or(line, (key + "_hex").c_str());
    if (digits.empty()) return string_or(line, key.c_str());
    std::string bytes;
    boost::algorithm::unhex(digits, std::back_inserter(bytes));
    return bytes;
}

std::uint64_t number_of(const json& line, const char* key) {
    return static_cast<std::uint64_t>(int64_or(line, key, 0));
}

recording_start read_start(const json& line) {
    return {string_or(line, "began"), bool_or(line, "prompts", true)};
}

recorded_request read_request(const json& line) {
    recorded_request e{.number = number_of(line, "request"),
                       .server = string_or(line, "server"),
                       .method = string_or(line, "method"),
                       .path = string_or(line, "path"),
                       .body = bytes_of(line, "body")};
    if (line.contains("reply"))
        e.reply_key = recorded_request_key{.reply = number_of(line, "reply"),
                                           .text_bytes = number_of(line, "text_bytes"),
                                           .is_prefill = bool_or(line, "prefill", false)};
    return e;
}

recorded_end read_end(const json& line) {
    recorded_end e{number_of(line, "answer"), {}, string_or(line, "message")};
    const auto name = string_or(line, "end");
    if (name == whole_answer) return e;
    e.ec = find_error_code(name);
    if (!e.ec) e.ec = errc::stream_incomplete;  // an error code of a later version
    return e;
}

std::optional<recording_entry> read_entry(const json& line) {
    if (line.contains("recording")) {
        if (int_or(line, "recording", 0) != recording_version) return std::nullopt;
        return read_start(line);
    }
    if (line.contains("request")) return read_request(line);
    if (line.contains("status"))
        return recorded_status{number_of(line, "answer"), int_or(line, "status", 0)};
    if (line.contains("end")) return read_end(line);
    if (line.contains("answer"))
        return recorded_bytes{number_of(line, "answer"), bytes_of(line, "data")};
    if (line.contains("cut")) return recorded_cut{number_of(line, "cut")};
    if (line.contains("note")) return recorded_note{dump_json(line["note"])};
    if (line.contains("full")) return recording_full{};
    return std::nullopt;
}

}  // namespace

bool is_valid_note(std::string_view note) {
    // The line is an object around the note, with keys for the note and the time.
    constexpr json_limits note_limits{.depth = line_limits.depth - 1,
                                      .values = line_limits.values - 8};
    return check_json(note, note_limits) == json_fault::none;
}

std::string format_recording_line(const recording_line& line) {
    constexpr double us_per_ms = 1000;
    object out;
    out["ms"] = std::round(to_ms(line.at) * us_per_ms) / us_per_ms;
    std::visit([&](const auto& entry) { put(out, entry); }, line.entry);
    return dump_json(out);
}

std::optional<recording_line> read_recording_line(std::string_view text, std::string& fault) try {
    fault = describe_json_fault(text, line_limits);
    if (!fault.empty()) return std::nullopt;
    const auto line = json::parse(text);
    const auto ms = number_or(line, "ms", 0);
    auto entry =
        line.is_object() && ms >= 0 && ms <= max_recording_ms ? read_entry(line) : std::nullopt;
    if (!entry) {
        fault = "is not a line of a recording that this version can read";
        return std::nullopt;
    }
    return recording_line{
        std::chrono::round<duration>(std::chrono::duration<double, std::milli>(ms)),
        *std::move(entry)};
} catch (const boost::algorithm::hex_decode_error&) {
    fault = "contains bytes that are not hexadecimal digits";
    return std::nullopt;
}

}  // namespace tandem::wire
