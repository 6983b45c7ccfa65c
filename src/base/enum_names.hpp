#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

// Helpers for enumerations whose values start at 0 and have names. They recognize the end of the
// values by a to_string() that returns an empty string.
namespace tandem {

/// Returns the name of `value`. `names` lists all names in the order of the values.
template <class Enum>
constexpr std::string_view find_enum_name(std::initializer_list<std::string_view> names,
                                          Enum value) noexcept {
    const auto i = static_cast<std::size_t>(value);
    return i < names.size() ? names.begin()[i] : std::string_view{};
}

template <class Enum>
std::optional<Enum> parse_enum(std::string_view name) noexcept {
    for (int i = 0; !to_string(static_cast<Enum>(i)).empty(); ++i)
        if (name == to_string(static_cast<Enum>(i))) return static_cast<Enum>(i);
    return std::nullopt;
}

/// "a", "a or b", "a, b or c" if `last_separator` is " or ".
template <class Enum>
std::string list_enum_names(std::string_view last_separator) {
    const auto name = [](int i) { return to_string(static_cast<Enum>(i)); };
    std::string names(name(0));
    for (int i = 1; !name(i).empty(); ++i)
        names.append(name(i + 1).empty() ? last_separator : ", ").append(name(i));
    return names;
}

}  // namespace tandem
