#include "text/json_object.hpp"

#include "wire/json/dump_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace tandem::command {
namespace {

bool needs_no_escapes(char c) {
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

}  // namespace

// Avoids the JSON library for plain text, which is the common case.
std::string json_string(std::string_view text) {
    if (std::ranges::all_of(text, needs_no_escapes)) return fmt::format("\"{}\"", text);
    return wire::dump_json(nlohmann::json(text));
}

json_object& json_object::field(const char* name, std::string_view value) {
    return raw(name, json_string(value));
}

json_object& json_object::field(const char* name, double value) {
    return raw(name, value >= 0 ? fmt::format("{:.3f}", value) : "null");
}

json_object& json_object::raw(const char* name, std::string_view value) {
    begin(name);
    text_ += value;
    return *this;
}

void json_object::begin(const char* name) {
    if (text_.size() > 1) text_ += ',';
    text_ += '"';
    text_ += name;
    text_ += "\":";
}

}  // namespace tandem::command
