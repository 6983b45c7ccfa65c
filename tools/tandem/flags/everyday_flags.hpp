#pragma once

#include <string_view>
#include <vector>

namespace tandem::command {

/// What the short help of a command shows of its flags, by their first long names, or those of
/// arguments.
struct everyday_flags {
    std::vector<std::string_view> own{};
    /// Of the configuration, which most commands share.
    std::vector<std::string_view> shared{};
};

/// Nothing for a command that has few flags: all are shown.
everyday_flags everyday_flags_of(std::string_view command);

}  // namespace tandem::command
