#pragma once

#include <string_view>

namespace tandem::text {

/// White space as Unicode's White_Space property and its bidirectional classes have it: the set
/// that Python's `str.rstrip()` removes.
bool is_white_space(char32_t c) noexcept;

/// The same, without the spaces that forbid a line break beside them.
bool is_breaking_space(char32_t c) noexcept;

/// True of the empty text too.
bool is_all_white_space(std::string_view text) noexcept;

std::string_view without_leading_space(std::string_view text) noexcept;
std::string_view without_trailing_space(std::string_view text) noexcept;

}  // namespace tandem::text
