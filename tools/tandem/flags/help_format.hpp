#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// The help of the command or of a sub-command, at most 80 columns wide: the description, which
/// starts with an example, then the flags in their groups.
std::string help_text(const CLI::App& app);
/// What fits on a screen of it: example, usage, and the flags of every day.
std::string short_help_text(const CLI::App& app);

/// The known flag that is most like `given`, after one that is the end of it ("--keys" of
/// "--api-keys"); empty if there are none.
std::vector<std::string> similar_flags(const CLI::App& app, const std::string& given);

}  // namespace tandem::command
