#include "wire/calls/answer_reader.hpp"

#include "text/characters/utf8.hpp"
#include "wire/json/json_limits.hpp"
#include "wire/json/wire_limits.hpp"
#include "wire/stream/server_error.hpp"

#include "tandem/utf8.hpp"

#include <fmt/format.h>

namespace tandem::wire {
namespace {

/// Parses a UTF-8 body. Returns a description of the error, or an empty string.
std::string parse(std::string_view body, json& out) {
    switch (check_json(body, {.depth = max_depth, .values = max_answer_values})) {
        case json_fault::too_deep:
            // The pruned text may still have too many values, so it is checked again.
            return parse(prune_deep_json(body, max_depth), out);
        case json_fault::too_many_values:
        case json_fault::too_many_keys:
            return fmt::format("it has more than {} values", max_answer_values);
        case json_fault::not_json:
            return "it is not JSON";
        case json_fault::none:
            out = json::parse(body, nullptr, false);
    }
    return out.is_discarded() ? "it is not JSON" : "";
}

template <class Int>
bool read_whole(const json& value, Int least, Int& out) {
    if (!value.is_number_integer()) return false;
    const bool fits = value.is_number_unsigned() ? std::in_range<Int>(value.get<std::uint64_t>())
                                                 : std::in_range<Int>(value.get<std::int64_t>());
    if (!fits || value.get<Int>() < least) return false;
    out = value.get<Int>();
    return true;
}

}  // namespace

error_code parse_answer(std::string_view path, response_view a, json& out, diagnostics& diag) {
    if (a.http_status < 200 || a.http_status > 299)
        return decode_error(path, a.http_status, a.body, diag);
    const bool valid = text::find_invalid_utf8(a.body) == std::string_view::npos;
    const auto why = valid ? parse(a.body, out) : parse(sanitized_utf8(a.body), out);
    return why.empty() ? error_code() : make_bad_response_error(path, a.http_status, why, diag);
}

const json& member(const json& object, const char* key) {
    static const json none;
    if (!object.is_object()) return none;
    const auto found = object.find(key);
    return found == object.end() ? none : *found;
}

bool read_int(const json& value, int least, int& out) {
    return read_whole(value, least, out);
}

int int_or(const json& object, const char* key, int fall_back, int least) {
    int n = fall_back;
    return read_int(member(object, key), least, n) ? n : fall_back;
}

std::int64_t int64_or(const json& object, const char* key, std::int64_t fall_back) {
    std::int64_t n = fall_back;
    return read_whole(member(object, key), std::int64_t{0}, n) ? n : fall_back;
}

double number_or(const json& object, const char* key, double fall_back) {
    const auto& value = member(object, key);
    return value.is_number() && value.get<double>() >= 0 ? value.get<double>() : fall_back;
}

bool bool_or(const json& object, const char* key, bool fall_back) {
    const auto& value = member(object, key);
    return value.is_boolean() ? value.get<bool>() : fall_back;
}

std::string string_or(const json& object, const char* key, std::string fall_back) {
    const auto& value = member(object, key);
    return value.is_string() ? value.get<std::string>() : fall_back;
}

}  // namespace tandem::wire
