#pragma once

namespace tandem::command {

/// Exit status of the command.
enum exit_status {
    all_good = 0,
    not_all_good = 1,  ///< a failure, or an expected one
    wrong_use = 2,
    by_signal = 128,  ///< plus the signal number
};

}  // namespace tandem::command
