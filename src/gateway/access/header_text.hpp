#pragma once

#include <string_view>

namespace tandem::gateway {

/// `text` without leading and trailing blanks, for parts of a header value.
inline std::string_view trim_blanks(std::string_view text) noexcept {
    constexpr std::string_view blanks = " \t";
    const auto first = text.find_first_not_of(blanks);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blanks) + 1 - first);
}

}  // namespace tandem::gateway
