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
/// message wrapped in `<tool_response>`. The text of a message cannot forge turns: render_chatml()
/// inserts a space after the `<` of everything in it that looks like a control token
/// (`<|im_end|>`), so that the tokenizer reads plain text. It does the same with tool result marks
/// in the text of users and tools.
std::string render_chatml(std::span<const chat_message> messages);

}  // namespace tandem::conversations
