#pragma once

#include "gateway/json/api_error.hpp"
#include "gateway/requests/generation_request.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace tandem::gateway {

/// A request to POST /v1/completions: a prompt without a chat template.
struct completion_request : generation_request {
    std::string prompt{};
};

/// Reads the body of such a request, or says why it is refused: with the path of the field in
/// `param`. `prompt` is a string or a list of one; token ids, which are another model's, and
/// `suffix`, `echo`, `logprobs`, `best_of` and `n` over 1 are refused rather than ignored, as the
/// answer would not be what was asked for. Unknown fields are ignored, and null counts as absent.
/// Takes time in proportion to the body; throws std::bad_alloc only. May be called from any thread.
std::variant<completion_request, api_error> read_completion_request(
    std::string_view body, const request_defaults& defaults);

}  // namespace tandem::gateway
