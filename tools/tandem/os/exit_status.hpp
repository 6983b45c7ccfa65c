#pragma once

#include "terminal/terminal.hpp"

#include <optional>
#include <string_view>

namespace tandem::command {

enum exit_status {
    all_good = 0,
    not_all_good = 1,  ///< something failed
    wrong_use = 2,
    by_signal = 128,  ///< plus the signal number
};

/// Reports the failure on stderr with the prefix `who`. Reports nothing if all output was written
/// or if the reader closed the pipe, as `head` does.
void print_output_failure(terminal& t, std::string_view who);

/// Returns the exit status for lost output: that of SIGPIPE if the reader closed the pipe. Returns
/// nothing if all output was written, or after SIGHUP, which determines the status itself.
std::optional<int> lost_output_exit_status(const terminal& t);

/// Returns the exit status for lost output or for a received signal; if there is neither, the
/// status for `good`.
int choose_exit_status(const terminal& t, bool good);

}  // namespace tandem::command
