#pragma once

#include <string_view>

namespace tandem::command {

enum class shell { bash, zsh, fish };

/// The script with which a shell asks `tandem __complete` what fits.
std::string_view completion_script(shell s);

}  // namespace tandem::command
