#pragma once

#include "recording/prompt_file.hpp"

#include <vector>

namespace tandem::command {

/// What callers of voice bots say, for runs that are given no prompts: a few dialogues of a system
/// message and some turns.
std::vector<dialogue> usual_dialogues();

}  // namespace tandem::command
