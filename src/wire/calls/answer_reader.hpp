#pragma once

#include "wire/calls/server_messages.hpp"
#include "wire/json/json.hpp"

#include <cstdint>
#include <string>
#include <string_view>

// Helpers for reading answers; only for the sources of this folder.
namespace tandem::wire {

/// Parses the JSON of an answer with status 2xx; for another status, returns the server's error.
/// Values nested deeper than `max_depth` become null.
error_code parse_answer(std::string_view path, response_view a, json& out, diagnostics& diag);

// Each function returns the member `key` of `object`, or the fallback if there is no such member of
// the function's type and range. `object` may be any JSON value.
int int_or(const json& object, const char* key, int fall_back, int least = 0);
/// int64_or() and number_or() require a number of at least 0.
std::int64_t int64_or(const json& object, const char* key, std::int64_t fall_back);
double number_or(const json& object, const char* key, double fall_back);
bool bool_or(const json& object, const char* key, bool fall_back);
std::string string_or(const json& object, const char* key, std::string fall_back = {});
/// A member of any type; null if it is missing.
const json& member(const json& object, const char* key);

/// Reads `value` as an int of at least `least`; false if it is not one.
bool read_int(const json& value, int least, int& out);

}  // namespace tandem::wire
