#pragma once

#include "tandem/server.hpp"

#include <span>
#include <string>

namespace tandem::conversations {

/// The prompt for `messages` in ChatML, for servers without a template: many models were trained on
/// ChatML, and the others understand it too. The prompt ends with the start of the assistant's
/// answer. If the last message is the assistant's, the prompt ends inside that message, so that the
/// model continues the message.
///
/// Tool calls and results follow the format of the Hermes and Qwen families: a result is a user
/// message wrapped in `<tool_response>`. The text of a message cannot forge turns: a space after
/// the `<` makes the tokenizer read plain text. The space is inserted in everything that looks like
/// a control token (`<|im_end|>`), and in tool result marks sent by the user or a tool.
std::string render_chatml(std::span<const chat_message> messages);

}  // namespace tandem::conversations
