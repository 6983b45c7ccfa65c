#pragma once

#include "gateway/json/api_error.hpp"
#include "gateway/requests/chat_request.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tandem::gateway {

/// A request to POST /v1/responses. `messages` are the instructions and the input.
struct response_request : chat_request {
    /// Whether `messages` begins with the instructions.
    bool has_instructions = false;
    /// A reference to an item of an earlier response. Until resolve_references(), an empty
    /// assistant message in `messages` stands for the item.
    struct item_reference {
        std::size_t message = 0;
        std::string id{};
    };
    std::vector<item_reference> references{};
    /// The response that this response continues (`previous_response_id`); empty if there is none.
    std::string previous{};
    /// Whether to drop the oldest exchanges of a history that does not fit (`truncation`).
    bool trim = true;
    /// If false, the server only evaluates the prompt, for a request that continues the response.
    bool generate = true;
    /// Whether another request may continue this response.
    bool store = true;
    /// The members of the request that the response repeats, as the text of a JSON object.
    std::string repeated{};
};

/// Parses the body of a response request, which is a variant of a chat request: the rules of
/// read_chat_request() apply to the fields that both requests have.
///
/// - `input` is a string, or a list of messages, `function_call`, `function_call_output`,
///   `item_reference` and `reasoning` items; the model does not receive `reasoning` items.
/// - `tools` have their functions' fields at the top level; `text.format` is `response_format`,
///   `reasoning.effort` is `reasoning_effort`, `max_output_tokens` is `max_tokens`.
/// - Fields that would change the answer, such as `background`, `conversation` or hosted tools, are
///   rejected.
std::variant<response_request, api_error> read_response_request(std::string_view body,
                                                                const request_defaults& defaults);

}  // namespace tandem::gateway
