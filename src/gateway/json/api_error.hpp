#pragma once

#include "tandem/error.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::gateway {

/// Why a request was rejected or failed, in the format of OpenAI's API.
struct api_error {
    /// HTTP status.
    int status = 500;
    /// "invalid_request_error", "authentication_error", "permission_error", "not_found_error",
    /// "rate_limit_error", or "server_error".
    std::string type = "server_error";
    /// Machine-readable, such as "invalid_api_key"; empty = null.
    std::string code{};
    /// For people: names what is wrong, its value, and the remedy.
    std::string message{};
    /// The invalid field of the request, such as "messages[0].role"; empty = null.
    std::string param{};
    std::optional<std::chrono::seconds> retry_after{};
    /// For the audit log only: name of the rejected key; empty if the key was missing or unknown.
    std::string key_name{};
    /// The header fields Allow (405), WWW-Authenticate (401) and Upgrade (426); empty = omitted.
    std::string allow{};
    std::string www_authenticate{};
    std::string upgrade{};
};

/// The type follows from the status.
api_error make_error(int status, std::string code, std::string message, std::string param = {});

/// 400: "`field` `what`".
api_error make_invalid_value_error(std::string field, std::string_view what);

/// The response body: `{"error":{"message":…,"type":…,"param":…,"code":…}}`. Invalid UTF-8 is
/// replaced.
std::string encode_error_body(const api_error& e);

/// 503: the gateway is stopping and accepts no requests.
api_error make_stopping_error();

/// 500: an exception ended the request.
api_error make_internal_error();

/// Client input for a message: at most 64 bytes of complete characters, followed by an ellipsis if
/// truncated.
std::string quote_text(std::string_view words);

/// The error for a client whose reply failed. Server messages are passed on only if they describe a
/// fault of the request.
api_error to_api_error(const error_code& ec, const diagnostics& diag);

}  // namespace tandem::gateway
