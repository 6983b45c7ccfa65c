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

/// Parses the body of a completion request. An error has the path of the field in `param`. `prompt`
/// is a string or a list of one string. Token ids are rejected, because they may belong to another
/// model's vocabulary. `suffix`, `echo`, `logprobs`, `best_of` and `n` over 1 are rejected rather
/// than ignored, because the answer would not match the request. Unknown fields are ignored, and
/// null is read as absent. Takes linear time; throws only std::bad_alloc. May be called from any
/// thread.
std::variant<completion_request, api_error> read_completion_request(
    std::string_view body, const request_defaults& defaults);

}  // namespace tandem::gateway
