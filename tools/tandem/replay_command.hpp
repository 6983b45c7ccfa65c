#pragma once

#include "command_line.hpp"

namespace tandem::command {

/// Carries out `tandem replay`; returns the exit status.
int run_replay(const replay_options& options);

}  // namespace tandem::command
