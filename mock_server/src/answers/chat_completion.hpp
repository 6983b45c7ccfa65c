#pragma once

#include "answers/api_error.hpp"
#include "answers/chat_messages.hpp"
#include "answers/completion_request.hpp"
#include "tandem_mock/options.hpp"

#include <string>
#include <variant>
#include <vector>

namespace tandem::mock {

/// The prompt of the messages in `body`, with its tools if the template of `o` shows them. Throws
/// std::exception if a tool call is invalid.
std::string render_chat(const std::vector<chat_message>& messages, const std::string& body,
                        const options& o);

/// Parses a body of POST /v1/chat/completions. The mock supports only requests that parse the tool
/// calls in the text of a reply, or that continue a reply up to a call: with
/// options::tool_template, an assistant's message at the end, and `max_tokens` 0 or `tool_choice`
/// "required". Other requests yield error 501.
std::variant<completion_request, api_error> parse_chat_completion(const std::string& body,
                                                                  const options& o);

}  // namespace tandem::mock
