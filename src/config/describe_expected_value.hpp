#pragma once

#include "base/enum_names.hpp"

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

// Messages about invalid field values: "is 5000; it must be a whole number from 0 to 1024".
namespace tandem::detail {

inline std::string invalid_value_text(std::string_view given, std::string_view expected) {
    return fmt::format("is {}; it must be {}", given.empty() ? "empty" : given, expected);
}

/// Follows the range in a message about an invalid time.
inline constexpr std::string_view time_examples = ", such as 250ms, 2s, 1m or 0.5h";

/// Formats a time in the largest unit that needs no fraction: 0 → "0", 3600 → "1h", 3540 → "59m",
/// 0.001 → "1ms".
inline std::string format_time_limit(duration d) {
    using std::chrono::hours, std::chrono::minutes;
    if (d == duration{}) return "0";
    if (d % hours(1) == duration{}) return fmt::format("{}h", d / hours(1));
    return d % minutes(1) == duration{} ? fmt::format("{}m", d / minutes(1)) : to_string(d);
}

inline std::string describe_time_range(duration least, duration most) {
    return fmt::format("a time from {} to {}", format_time_limit(least), format_time_limit(most));
}

template <class Number>
requires std::is_arithmetic_v<Number> std::string describe_expected_value(const field_info& f,
                                                                          const Number&) {
    const auto* kind = std::is_integral_v<Number> ? "a whole number" : "a number";
    return f.open ? fmt::format("{} greater than {} and at most {}", kind, f.min, f.max)
                  : fmt::format("{} from {} to {}", kind, f.min, f.max);
}
inline std::string describe_expected_value(const field_info&, const bool&) {
    return "true or false";
}
inline std::string describe_expected_value(const field_info& f, const duration&) {
    const auto of = [](double seconds) { return duration(std::llround(seconds * 1e9)); };
    return describe_time_range(of(f.min), of(f.max));
}
inline std::string describe_expected_value(const field_info&, const std::vector<tag_pair>&) {
    return "an opening and a closing mark with a space between them, or none";
}
inline std::string describe_expected_value(const field_info&, const speech_replacements&) {
    return "a word and the words to speak for it, such as Dr.=Doctor, or none";
}
template <class Enum>
requires std::is_enum_v<Enum> std::string describe_expected_value(const field_info&, const Enum&) {
    return list_enum_names<Enum>(" or ");
}
/// Describes the value of a field that may be unset.
template <class T>
std::string describe_expected_value(const field_info& f, const std::optional<T>&) {
    return describe_expected_value(f, T{});
}

}  // namespace tandem::detail
