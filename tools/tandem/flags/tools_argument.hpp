#pragma once

#include <string>

namespace tandem::command {

/// The value of --tools: a JSON list, or the name of a file that contains one ("-": stdin).
struct tools_argument {
    std::string text{};
    /// The source as messages show it: "--tools" or "--tools FILE".
    std::string origin{};
    /// Why the file cannot be used; empty if it can.
    std::string fault{};
};

tools_argument read_tools_argument(const std::string& value);

/// Returns the list without the functions' commands, which only `tandem chat` runs.
std::string remove_command_fields(const std::string& tools);

}  // namespace tandem::command
