#pragma once

#include "recording/prompt_file.hpp"

#include <vector>

namespace tandem::command {

/// Returns the faults of lines that name a function which their tools do not have: in `results` or
/// in `expect`. `common` are the options of the run.
std::vector<prompt_fault> check_functions(const std::vector<dialogue>& dialogues,
                                          const generation_options& common);
/// Returns the faults of dialogues without the function that is the `tool_choice` of `common`. A
/// raw prompt in a file ignores the choice, which is for the other lines.
std::vector<prompt_fault> check_tool_choice(const std::vector<dialogue>& dialogues,
                                            const generation_options& common);

}  // namespace tandem::command
