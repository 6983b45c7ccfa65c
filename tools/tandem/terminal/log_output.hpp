#pragma once

#include "terminal/terminal.hpp"

#include "tandem/log.hpp"

#include <array>
#include <string_view>

namespace tandem::command {

/// In the order of log_level.
inline constexpr std::array<std::string_view, 5> level_names{"debug", "info", "warning", "error",
                                                             "off"};

enum class log_format {
    text,
    json,  ///< an object a line: time (UTC), level, message
};

/// Log lines with time and level on the terminal's stderr, from any thread.
logger log_to_terminal(terminal& t, log_level level, log_format format = log_format::text);

}  // namespace tandem::command
