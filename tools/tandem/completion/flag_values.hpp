#pragma once

#include <string_view>
#include <vector>

namespace tandem::command {

/// The words that `flag` ("--color") of `command` ("chat") takes; empty if it takes others than a
/// few words.
std::vector<std::string_view> flag_values(std::string_view command, std::string_view flag);

}  // namespace tandem::command
