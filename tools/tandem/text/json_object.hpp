#pragma once

#include "tandem/duration.hpp"

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

namespace tandem::command {

/// Writes a JSON object; fields are in the order of the calls. Field names must not require
/// escapes.
class json_object {
 public:
    json_object() {
        text_.reserve(enough_for_a_chunk);
        text_ += '{';
    }

    /// Replaces invalid UTF-8.
    json_object& field(const char* name, std::string_view value);
    json_object& field(const char* name, const char* value) {
        return field(name, std::string_view(value));
    }
    json_object& field(const char* name, std::integral auto value) {
        if constexpr (std::is_same_v<decltype(value), bool>)
            return raw(name, value ? "true" : "false");
        const fmt::format_int digits(value);
        return raw(name, {digits.data(), digits.size()});
    }
    /// For milliseconds and ratios. A negative value means that the value is unknown, and becomes
    /// null.
    json_object& field(const char* name, double value);
    json_object& field(const char* name, duration time) { return field(name, to_ms(time)); }
    template <class Value>
    json_object& field(const char* name, const std::optional<Value>& value) {
        return value ? field(name, *value) : raw(name, "null");
    }
    /// `value` must be valid JSON.
    json_object& raw(const char* name, std::string_view value);

    std::string finish() { return std::move(text_ += '}'); }
    std::string line() { return finish() + '\n'; }

 private:
    static constexpr std::size_t enough_for_a_chunk = 512;

    void begin(const char* name);

    std::string text_;
};

/// Returns the text as a JSON string. Replaces invalid UTF-8.
std::string json_string(std::string_view text);

/// Returns a JSON array of the values that `json_of` returns.
template <class Items, class JsonOf>
std::string json_list(const Items& items, JsonOf json_of) {
    std::string list = "[";
    for (const auto& item : items) {
        if (list.size() > 1) list += ',';
        list += json_of(item);
    }
    return list + ']';
}

}  // namespace tandem::command
