#pragma once

#include <string_view>

namespace tandem::command {

enum class shell { bash, zsh, fish };

/// Returns the script that makes the shell call `tandem __complete`.
std::string_view completion_script(shell s);

}  // namespace tandem::command
