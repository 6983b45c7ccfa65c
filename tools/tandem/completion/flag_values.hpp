#pragma once

#include <string_view>
#include <vector>

namespace tandem::command {

/// Returns the fixed set of words that a flag ("--color") or argument ("SHELL") of `command`
/// ("chat") accepts; empty if there is no such set.
std::vector<std::string_view> find_flag_values(std::string_view command, std::string_view flag);

}  // namespace tandem::command
