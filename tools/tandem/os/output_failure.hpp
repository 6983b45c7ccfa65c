#pragma once

#include "terminal/terminal.hpp"

#include <optional>
#include <string_view>

// Handles a failed stdout at the end of a command.
namespace tandem::command {

/// Reports the failure on stderr with the prefix `who`. Reports nothing if all output was written
/// or if the reader closed the pipe, as `head` does.
void print_output_failure(terminal& t, std::string_view who);

/// Returns the exit status for lost output: that of SIGPIPE if the reader closed the pipe. Returns
/// nothing if all output was written, or after SIGHUP, which determines the status itself.
std::optional<int> output_exit_status(const terminal& t);

/// Returns the exit status for lost output or, after a signal, for that; otherwise by `good`.
int exit_status_of(const terminal& t, bool good);

}  // namespace tandem::command
