#pragma once

#include "tandem/server.hpp"

#include <span>
#include <string>

namespace tandem::conversations {

/// The prompt for `messages` in ChatML, for servers without a template: many models were trained
/// with it, and the others can read it too. It ends with the start of the assistant's answer. If
/// the last message is the assistant's, the prompt ends inside it, so that the model continues it.
///
/// Tool calls and results follow the format of the Hermes and Qwen families: a result is a user
/// message wrapped in `<tool_response>`. Texts cannot forge turns: a space after the `<` makes the
/// tokenizer read plain text. It is inserted in everything that looks like a control token
/// (`<|im_end|>`), and in tool result marks sent by the user or a tool.
std::string render_chatml(std::span<const chat_message> messages);

}  // namespace tandem::conversations
