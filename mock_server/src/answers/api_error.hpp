#pragma once

#include <string>

namespace tandem::mock {

/// An error as the server reports it, before the stream as HTTP body or in it as an event.
struct api_error {
    int status = 400;
    std::string type = "invalid_request_error";
    std::string message;
    /// exceed_context_size_error only.
    int prompt_tokens = -1;
    int context_size = -1;
};

/// The error type the server uses with `status`.
api_error error_of(int status, std::string message);

/// {"error":{…}}
std::string to_json(const api_error& e);

}  // namespace tandem::mock
