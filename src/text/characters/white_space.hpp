#pragma once

#include <string>
#include <string_view>

namespace tandem::text {

/// Whether `c` is white space by its White_Space property or its bidirectional class, as in
/// Python's `str.rstrip()`.
constexpr bool is_white_space(char32_t c) noexcept {
    if (c < 0x80) return c == 0x20 || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 ||
           c == 0x2029 || c == 0x202F || c == 0x205F || c == 0x3000;
}

/// White space except non-breaking spaces.
bool is_breaking_space(char32_t c) noexcept;

/// Returns true for an empty string.
bool is_all_white_space(std::string_view text) noexcept;

std::string_view trim_leading_space(std::string_view text) noexcept;
std::string_view trim_trailing_space(std::string_view text) noexcept;
std::string_view trim_white_space(std::string_view text) noexcept;

/// Both texts, separated by a space if there is no white space between them and neither is empty.
std::string join_with_space(std::string_view text, std::string_view next);

}  // namespace tandem::text
