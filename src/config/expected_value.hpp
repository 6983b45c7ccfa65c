#pragma once

#include "tandem/config_fields.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

// What is said of a value that a field cannot have: "is 5000; it must be a whole number from 0 to
// 1024".
namespace tandem::detail {

inline std::string wrong_value(std::string_view given, std::string_view expected) {
    return fmt::format("is {}; it must be {}", given.empty() ? "empty" : given, expected);
}

/// How times are written, for one that cannot be read.
inline constexpr std::string_view time_examples = ", such as 250ms, 2s, 1m or 0.5h";

/// 0 → "0", 3600 → "1h", 0.001 → "1ms".
inline std::string time_limit_text(duration d) {
    using std::chrono::hours;
    if (d == duration{}) return "0";
    return d % hours(1) == duration{} ? fmt::format("{}h", d / hours(1)) : to_string(d);
}

inline std::string expected_time(duration least, duration most) {
    return fmt::format("a time from {} to {}", time_limit_text(least), time_limit_text(most));
}

/// "a", "a or b", "a, b or c": of names that to_string() knows, from 0 on.
template <class Enum>
std::string all_names() {
    const auto name = [](int i) { return to_string(static_cast<Enum>(i)); };
    std::string names(name(0));
    for (int i = 1; !name(i).empty(); ++i)
        names += fmt::format("{}{}", name(i + 1).empty() ? " or " : ", ", name(i));
    return names;
}

template <class Number>
requires std::is_arithmetic_v<Number> std::string expected_value(const field_info& f,
                                                                 const Number&) {
    const auto* kind = std::is_integral_v<Number> ? "a whole number" : "a number";
    return f.open ? fmt::format("{} over {} and at most {}", kind, f.min, f.max)
                  : fmt::format("{} from {} to {}", kind, f.min, f.max);
}
inline std::string expected_value(const field_info&, const bool&) {
    return "true or false";
}
inline std::string expected_value(const field_info& f, const duration&) {
    const auto of = [](double seconds) { return duration(std::llround(seconds * 1e9)); };
    return expected_time(of(f.min), of(f.max));
}
inline std::string expected_value(const field_info&, const std::vector<tag_pair>&) {
    return "an opening and a closing mark with a space between them, or none";
}
template <class Enum>
requires std::is_enum_v<Enum> std::string expected_value(const field_info&, const Enum&) {
    return all_names<Enum>();
}
/// Of one that may be unset; what it is when it is set counts.
template <class T>
std::string expected_value(const field_info& f, const std::optional<T>&) {
    return expected_value(f, T{});
}

}  // namespace tandem::detail
