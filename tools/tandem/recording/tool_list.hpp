#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// After this many replies in a row that call functions, the turn ends, because a model may never
/// stop calling functions.
inline constexpr int max_calling_replies = 10;

/// The functions in a list with the format of OpenAI's `tools`.
struct tool_list {
    /// In the order of the list; an invalid entry has an empty name.
    std::vector<std::string> names{};
    /// For generation_options::tools.
    std::string text{};
};

/// Reads a list in this format. `faults` receives the faults; `where` is the path of the list in
/// the messages, empty for a whole file.
tool_list read_tool_list(const nlohmann::ordered_json& list, const std::string& where,
                         std::vector<std::string>& faults);

}  // namespace tandem::command
