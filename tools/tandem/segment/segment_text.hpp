#pragma once

#include <string>
#include <vector>

namespace tandem::command {

/// Returns each sentence on its own line, including the newline, without surrounding white space.
/// Inner line breaks become one space. Control characters and invalid UTF-8 become U+FFFD. White
/// space alone produces no line.
std::string sentence_lines(const std::vector<std::string>& sentences);

}  // namespace tandem::command
