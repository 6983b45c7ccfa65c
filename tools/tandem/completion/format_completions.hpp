#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// Returns the output of `tandem __complete` for the words after `tandem`: the candidates for the
/// last word, one per line, with a tab before the help text. Returns ":files" or ":folders" if a
/// path is expected.
std::string format_completions(const CLI::App& tandem, const std::vector<std::string>& typed);

}  // namespace tandem::command
