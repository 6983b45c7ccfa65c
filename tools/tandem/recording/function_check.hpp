#pragma once

#include "recording/prompt_file.hpp"

#include <vector>

namespace tandem::command {

/// Returns the faults of lines that name a function which their tools do not have: in `results`, in
/// `expect`, or as the `tool_choice` of `common`, the options of the run.
std::vector<prompt_fault> check_functions(const std::vector<dialogue>& dialogues,
                                          const generation_options& common);

}  // namespace tandem::command
