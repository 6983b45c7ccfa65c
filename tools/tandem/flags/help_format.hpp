#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// Returns the help of a command or subcommand, at most 80 columns wide: the description, which
/// starts with an example, and then the flags by group.
std::string help_text(const CLI::App& app);
/// Returns the short help, which fits on one screen: example, usage and the most common flags.
std::string short_help_text(const CLI::App& app);

/// Returns the known flags similar to `given`: first flags that are the last words of `given`
/// ("--keys" for "--api-keys"), then the most similar one.
std::vector<std::string> find_similar_flags(const CLI::App& app, const std::string& given);

}  // namespace tandem::command
