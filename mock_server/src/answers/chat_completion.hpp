#pragma once

#include "answers/api_error.hpp"
#include "answers/chat_messages.hpp"
#include "answers/completion_request.hpp"
#include "tandem_mock/options.hpp"

#include <string>
#include <variant>
#include <vector>

namespace tandem::mock {

/// Renders `messages` as a prompt. If `o.tool_template` is set, the prompt contains the calls and
/// the tools of `body`. Throws std::exception if a tool call is invalid.
std::string render_chat(const std::vector<chat_message>& messages, const std::string& body,
                        const options& o);

/// Parses a body of POST /v1/chat/completions. The mock supports only two kinds of requests that
/// end with an assistant's message and are not streamed: with `max_tokens` 0, to parse the calls in
/// that message; with `tool_choice` "required", to complete the call at its end. Both require
/// options::tool_template. Other requests get error 501.
std::variant<completion_request, api_error> parse_chat_completion(const std::string& body,
                                                                  const options& o);

}  // namespace tandem::mock
