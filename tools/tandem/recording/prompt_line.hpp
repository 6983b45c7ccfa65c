#pragma once

#include "recording/prompt_file.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Reads one line of a prompt file into `d`, whose id stays empty if the line has none. Returns
/// what is wrong with it.
std::vector<std::string> parse_prompt_line(std::string_view line, dialogue& d);

}  // namespace tandem::command
