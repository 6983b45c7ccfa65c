#pragma once

#include <string_view>
#include <vector>

namespace tandem::command {

/// The words that `flag` ("--color") takes; empty if it takes others than a few words. A flag has
/// the same ones in each command.
std::vector<std::string_view> flag_values(std::string_view flag);

}  // namespace tandem::command
