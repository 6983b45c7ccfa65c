#pragma once

#include <string_view>

namespace tandem::text {

/// White space as Unicode's White_Space property and its bidirectional classes have it: the set
/// that Python's `str.rstrip()` removes.
constexpr bool is_white_space(char32_t c) noexcept {
    if (c < 0x80) return c == 0x20 || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
           c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/// The same, without the spaces that forbid a line break beside them.
bool is_breaking_space(char32_t c) noexcept;

/// True of the empty text too.
bool is_all_white_space(std::string_view text) noexcept;

std::string_view without_leading_space(std::string_view text) noexcept;
std::string_view without_trailing_space(std::string_view text) noexcept;
std::string_view without_outer_space(std::string_view text) noexcept;

}  // namespace tandem::text
