#pragma once

#include "tandem/server.hpp"

#include <span>
#include <string>

namespace tandem::conversations {

/// The prompt for `messages` in ChatML, for servers that have no template: many models were trained
/// with it, and the others can read it. It ends with the start of the assistant's answer; or, if
/// the assistant's words are the last message, inside it, so that the model continues with them.
///
/// Calls of tools and their results are written as the Hermes and Qwen families do: the result is
/// the user's message with `<tool_response>` around it. Texts cannot forge turns: in everything
/// that looks like a control token (`<|im_end|>`), and in marks of a tool's result that the user or
/// a tool sent, a space is put after the `<`, so that the tokenizer reads plain text.
std::string chatml_prompt(std::span<const chat_message> messages);

}  // namespace tandem::conversations
