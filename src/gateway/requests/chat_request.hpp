#pragma once

#include "gateway/json/api_error.hpp"
#include "gateway/requests/generation_request.hpp"

#include "tandem/server.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string_view>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// A request to POST /v1/chat/completions.
struct chat_request : generation_request {
    /// Not empty; roles are "system", "user", "assistant" and "tool". If the last message is the
    /// assistant's, it must not have tool calls, and the answer continues it.
    std::vector<chat_message> messages{};
};

/// Parses the body of a chat request. An error has the path of the field in `param`, such as
/// "messages[2].content[0].type". Unknown fields are ignored, and null is read as absent. Takes
/// linear time; throws only std::bad_alloc. May be called from any thread.
///
/// - Content parts are joined with line feeds, as in llama-server; images, audio and files are
///   rejected. "developer" is read as "system", and "function" as "tool".
/// - `logprobs`, `n` over 1, `functions`, and modalities other than text are rejected rather than
///   ignored, because the answer would not match the request.
/// - Unsupported fields of OpenAI's and llama-server's APIs that change the answer are also
///   rejected (see reject_fields()).
/// - `response_format` with `json_schema` or `json_object` sets options.json_schema, as does
///   `json_schema` at the top level; `grammar` sets options.grammar. At most one may be set.
/// - `tools`, `tool_choice` and `parallel_tool_calls` set the options of the same names.
std::variant<chat_request, api_error> read_chat_request(std::string_view body,
                                                        const request_defaults& defaults);
/// Like read_chat_request(), for a body that is already parsed.
std::variant<chat_request, api_error> read_parsed_chat_request(const nlohmann::ordered_json& body,
                                                               const request_defaults& defaults);

}  // namespace tandem::gateway
