#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// Each sentence on a line of its own, newline included, without white space around it; line breaks
/// inside are shown as one space. What could steer a terminal, and bytes that are not UTF-8, are
/// shown as U+FFFD. White space alone gives no line.
std::string sentence_lines(const std::vector<std::string>& sentences);

}  // namespace tandem::command
