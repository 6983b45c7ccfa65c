#pragma once

#include <string>

namespace tandem::mock {

/// An error as the server reports it: as an HTTP body before the stream, or as an event in the
/// stream.
struct api_error {
    int status = 400;
    std::string type = "invalid_request_error";
    std::string message;
    /// Only for exceed_context_size_error.
    int prompt_tokens = -1;
    int context_size = -1;
};

/// An error with the type that the server uses for `status`.
api_error make_error(int status, std::string message);

/// {"error":{…}}
std::string to_json(const api_error& e);

}  // namespace tandem::mock
