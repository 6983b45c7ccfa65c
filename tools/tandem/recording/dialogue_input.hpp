#pragma once

#include "recording/prompt_file.hpp"
#include "terminal/terminal.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// Reads the dialogues of a file, or stdin for "-", for a run with the options `common`. Reports
/// faults or an empty file in the name of the command `who` ("tandem replay") and then returns
/// none.
std::vector<dialogue> read_dialogue_file(const std::string& file, const std::string& who,
                                         const generation_options& common, terminal& t);

}  // namespace tandem::command
