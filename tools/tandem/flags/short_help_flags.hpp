#pragma once

#include <string_view>
#include <vector>

namespace tandem::command {

/// The flags and arguments in the short help of a command. Flags are listed by their first long
/// name.
struct short_help_flags {
    std::vector<std::string_view> own{};
    /// Flags of the configuration, which most commands have.
    std::vector<std::string_view> shared{};
};

/// Empty for a command with few flags; its short help shows all of them.
short_help_flags find_short_help_flags(std::string_view command);

}  // namespace tandem::command
