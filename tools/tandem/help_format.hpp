#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace tandem::command {

/// The help of the command or of a sub-command, at most 80 columns wide: the description, which
/// starts with an example, then the flags in their groups.
std::string help_text(const CLI::App& app);

/// The known flag that is most like `given`; empty if none is.
std::string similar_flag(const CLI::App& app, const std::string& given);

}  // namespace tandem::command
