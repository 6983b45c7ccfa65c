#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Pure functions that find the escape sequences and control characters in terminal input.
namespace tandem::command {

/// Returns the length of the escape sequence at the start of `text`, which begins with ESC; 0 if
/// the sequence is incomplete.
std::size_t measure_escape_sequence(std::string_view text) noexcept;

/// Removes escape sequences and control characters. Keeps tabs, and converts each line break to
/// "\n".
std::string strip_controls(std::string_view text);

/// Removes trailing line breaks.
std::string_view strip_line_breaks(std::string_view text) noexcept;

}  // namespace tandem::command
