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
    /// A reference to an item of an earlier response. An empty message of the assistant takes its
    /// place.
    struct item_reference {
        std::size_t message = 0;
        std::string id{};
    };
    std::vector<item_reference> references{};
    /// The response that this one continues (`previous_response_id`); empty if there is none.
    std::string previous{};
    /// Whether a history that does not fit loses its oldest exchanges (`truncation`).
    bool trim = true;
    /// False: the prompt is only evaluated.
    bool generate = true;
    /// Whether another request may continue this response.
    bool store = true;
    /// The members of the request that the response repeats, as the text of a JSON object.
    std::string repeated{};
};

/// Parses the body of such a request, which is a request to /v1/chat/completions in other words:
/// the rules of read_chat_request() apply to the fields that both have.
///
/// - `input` is a text, or a list of messages, `function_call`, `function_call_output`,
/// `item_reference` and `reasoning` items; the model does not receive `reasoning` items.
/// - `tools` have their functions' fields at the top; `text.format` is `response_format`,
/// `reasoning.effort` is `reasoning_effort`, `max_output_tokens` is `max_tokens`.
/// - Fields that would change the answer, such as `background`, `conversation` or hosted tools, are
/// rejected.
std::variant<response_request, api_error> read_response_request(std::string_view body,
                                                                const request_defaults& defaults);

}  // namespace tandem::gateway
