#pragma once

#include "recording/dialogue.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Parses one line of a prompt file into `d`. If the line has no id, `d.id` stays empty. Returns
/// the faults of the line.
std::vector<std::string> parse_prompt_line(std::string_view line, dialogue& d);

}  // namespace tandem::command
