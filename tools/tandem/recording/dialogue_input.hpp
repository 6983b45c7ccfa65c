#pragma once

#include "recording/prompt_file.hpp"
#include "terminal/terminal.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// The dialogues of a file, "-" for stdin; none if there is a fault, or nothing, which is told in
/// the name of the command `who` ("tandem replay").
std::vector<dialogue> read_dialogue_file(const std::string& file, const std::string& who,
                                         terminal& t);

}  // namespace tandem::command
