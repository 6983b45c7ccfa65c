#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// A model may call functions again and again. After this many such replies in a row, the user's
/// next message comes first.
inline constexpr int max_calling_replies = 10;

/// The functions of a list as in OpenAI's `tools`.
struct tool_list {
    /// In the order of the list; an invalid entry has an empty name.
    std::vector<std::string> names{};
    /// For generation_options::tools.
    std::string text{};
};

/// Reads such a list. `faults` receives its faults; `where` is its path in the messages, empty for
/// a whole file.
tool_list read_tool_list(const nlohmann::ordered_json& list, const std::string& where,
                         std::vector<std::string>& faults);

}  // namespace tandem::command
