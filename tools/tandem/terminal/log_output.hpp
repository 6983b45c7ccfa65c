#pragma once

#include "terminal/terminal.hpp"

#include "tandem/log.hpp"

#include <array>
#include <string_view>

namespace tandem::command {

/// Indexed by log_level.
inline constexpr std::array<std::string_view, 5> level_names{"debug", "info", "warning", "error",
                                                             "off"};

enum class log_format {
    text,
    json,  ///< one object per line: time (UTC), level, message
};

/// Returns a logger that writes lines with time and level to stderr, from any thread.
logger log_to_terminal(terminal& t, log_level level, log_format format = log_format::text);

}  // namespace tandem::command
