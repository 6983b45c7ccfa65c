#pragma once

#include <string_view>

namespace tandem::gateway {

/// A part of a header's value without the blanks around it.
inline std::string_view without_blanks(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

}  // namespace tandem::gateway
