#pragma once

namespace tandem::command {

/// What the command's exit status says.
enum exit_status {
    all_good = 0,
    not_all_good = 1,  ///< some of it failed, or would
    wrong_use = 2,
    by_signal = 128,  ///< with the signal's number added
};

}  // namespace tandem::command
