#pragma once

#include "recording/prompt_file.hpp"

#include <vector>

namespace tandem::command {

/// Returns built-in dialogues, typical for voice bots, each with a system message and several
/// turns. Used for runs without prompts.
std::vector<dialogue> default_dialogues();

}  // namespace tandem::command
