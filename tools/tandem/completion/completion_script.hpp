#pragma once

#include <array>
#include <string_view>

namespace tandem::command {

inline constexpr std::array<std::string_view, 3> shell_names{"bash", "zsh", "fish"};

/// One script for each of `shell_names`, which makes the shell call `tandem __complete`.
extern const std::array<std::string_view, 3> completion_scripts;

}  // namespace tandem::command
