#pragma once

#include "wire/calls/server_messages.hpp"
#include "wire/json/json.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// How answers are read. For the sources of this room alone.
namespace tandem::wire {

/// The JSON of an answer whose status is 2xx; else what the answer's error means. What is nested
/// deeper than `max_depth` is null.
error_code open_answer(std::string_view path, answer a, json& out, diagnostics& diag);

// Members of `object`, which may be any JSON; the fall-back if there is none of that type or range.
int int_or(const json& object, const char* key, int fall_back, int least = 0);
/// At least 0, as the next.
std::int64_t int64_or(const json& object, const char* key, std::int64_t fall_back);
double number_or(const json& object, const char* key, double fall_back);
bool bool_or(const json& object, const char* key, bool fall_back);
std::string string_or(const json& object, const char* key, std::string fall_back = {});
/// A member of any type; null if there is none.
const json& member(const json& object, const char* key);

/// `value` as an int of at least `least`; false if it is none.
bool read_int(const json& value, int least, int& out);

}  // namespace tandem::wire
