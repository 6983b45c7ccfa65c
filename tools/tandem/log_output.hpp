#pragma once

#include "terminal.hpp"

#include "tandem/log.hpp"

namespace tandem::command {

/// Log lines with time and level on the terminal's stderr.
logger log_to_terminal(terminal& t, log_level level);

}  // namespace tandem::command
