#pragma once

#include "answers/chat_messages.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace tandem::mock {

/// The text that /props reports in place of the source of the tool template.
std::string tool_template_source();

/// The prompt that the tool template renders; without tools and calls, the same as from
/// render_prompt(). Throws an exception if the arguments of a call are not JSON.
std::string render_with_tools(const std::vector<chat_message>& messages,
                              const nlohmann::ordered_json& tools);

/// Returns the prompt without its list of tools, because dialogues are written without tools but
/// must match prompts with any tools.
std::string remove_tool_list(std::string_view prompt);

}  // namespace tandem::mock
