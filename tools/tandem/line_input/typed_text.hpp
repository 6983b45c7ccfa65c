#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Finds the escape sequences and control characters that a terminal sends among text. All of these
// are pure functions.
namespace tandem::command {

/// The length of the escape sequence at the start of `text`, whose first byte is ESC; 0 if the rest
/// of it may still come.
std::size_t measure_escape_sequence(std::string_view text) noexcept;

/// Removes escape sequences and control characters. Tabs stay, and each line break becomes "\n".
std::string strip_controls(std::string_view text);

/// Removes the line breaks at the end.
std::string_view strip_line_breaks(std::string_view text) noexcept;

}  // namespace tandem::command
