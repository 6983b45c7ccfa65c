#pragma once

#include "gateway/json/api_error.hpp"
#include "gateway/requests/call_markup.hpp"
#include "gateway/requests/generation_request.hpp"

#include "tandem/server.hpp"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// A request to POST /v1/chat/completions.
struct chat_request : generation_request {
    /// At least one; roles are "system", "user", "assistant" and "tool". An assistant's message at
    /// the end is continued from, and the answer is what comes after it; it has no tool calls.
    std::vector<chat_message> messages{};
    /// The functions that may be called (see tool_call_reader); empty where none may.
    std::vector<std::string> functions{};
    /// Their parameters that are texts.
    text_parameters texts{};
    /// Whether there may be more than one call.
    bool parallel_tool_calls = true;
};

/// Reads the body of such a request, or says why it is refused: with the path of the field in
/// `param`, as in "messages[2].content[0].type". Unknown fields are passed over, and null counts as
/// absent. Takes time in proportion to the body; throws std::bad_alloc only. May be called from any
/// thread.
///
/// - Parts of a content are joined with line ends, as llama-server does it; images, sounds and
///   files are refused. "developer" is "system", and "function" is "tool".
/// - `logprobs`, `n` over 1, `functions`, and modalities other than text are refused rather than
///   passed over, as the answer would not be what was asked for.
/// - Fields of OpenAI's API and llama-server's that change the answer and are not honoured are
///   refused as well (refuse_unhonoured).
/// - `response_format`: `json_schema` and `json_object` become options.json_schema, as does a
///   `json_schema` of the request itself; `grammar` becomes options.grammar. One of them at most.
/// - `tools` go to the chat template (options.tools), but with `tool_choice` "none". With
///   "required" or a named function the answer is forced to be one call, by a JSON schema: an
///   object of `name` and `parameters`. With "auto" and a `response_format`, the schema allows a
///   call or an answer.
std::variant<chat_request, api_error> read_chat_request(std::string_view body,
                                                        const request_defaults& defaults);

}  // namespace tandem::gateway
