#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// What a terminal sends beside text: pure functions.
namespace tandem::command {

/// Bytes of the escape sequence at the start of `text`, which begins with ESC; 0 if more bytes may
/// belong to it.
std::size_t escape_sequence(std::string_view text) noexcept;

/// `text` without escape sequences and control characters. Tabs stay, and line breaks become "\n".
std::string without_controls(std::string_view text);

/// `text` without the line breaks at its end.
std::string_view without_last_breaks(std::string_view text) noexcept;

}  // namespace tandem::command
