#pragma once

#include "terminal/terminal.hpp"

#include <array>
#include <string>
#include <string_view>

// Colors of terminal output.
namespace tandem::command {

enum class color_choice { automatic, always, never };

/// The values of --color, indexed by color_choice.
inline constexpr std::array<std::string_view, 3> color_names{"auto", "always", "never"};

/// Automatic: color if stdout is a terminal and NO_COLOR is not set.
bool is_color_enabled(color_choice choice, const terminal& t);

namespace paint {
inline constexpr const char* bold = "\x1b[1m";
inline constexpr const char* dim = "\x1b[2m";
inline constexpr const char* red = "\x1b[31m";
inline constexpr const char* green = "\x1b[32m";
inline constexpr const char* yellow = "\x1b[33m";
}  // namespace paint

/// Returns `text` in one of these styles if `color` is true.
std::string colorize(bool color, const char* paint, std::string_view text);

}  // namespace tandem::command
