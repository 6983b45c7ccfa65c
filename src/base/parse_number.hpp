#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace tandem {

/// Parses all of `text` as a number. Returns nullopt if `text` contains white space or a sign other
/// than "-", or if the value is out of range. `base` applies only to integers.
template <class Number>
std::optional<Number> parse_number(std::string_view text, [[maybe_unused]] int base = 10) noexcept {
    Number value{};
    const auto* const last = text.data() + text.size();
    std::from_chars_result read{};
    if constexpr (std::is_floating_point_v<Number>)
        read = std::from_chars(text.data(), last, value);
    else
        read = std::from_chars(text.data(), last, value, base);
    if (read.ec != std::errc{} || read.ptr != last) return std::nullopt;
    return value;
}

}  // namespace tandem
