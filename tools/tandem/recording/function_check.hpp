#pragma once

#include "recording/prompt_file.hpp"

#include <vector>

namespace tandem::command {

/// Returns a fault for each line whose `results` or `expect` name a function that is not among its
/// tools. `common` are the options of the run.
std::vector<prompt_fault> check_functions(const std::vector<dialogue>& dialogues,
                                          const generation_options& common);
/// Returns a fault for each dialogue that lacks the function that `common` names as its
/// `tool_choice`. Ignores raw prompts in a file, because the choice is meant for the other lines.
std::vector<prompt_fault> check_tool_choice(const std::vector<dialogue>& dialogues,
                                            const generation_options& common);

}  // namespace tandem::command
