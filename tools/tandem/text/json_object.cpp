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
json_object& json_object::field(const char* name, std::string_view value) {
    using nlohmann::json;
    if (!std::ranges::all_of(value, needs_no_escapes))
        return raw(name, wire::dump_json(json(value)));
    begin(name);
    text_ += '"';
    text_ += value;
    text_ += '"';
    return *this;
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
