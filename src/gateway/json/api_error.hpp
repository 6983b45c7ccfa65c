#pragma once

#include "tandem/error.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::gateway {

/// Why a request is refused, or failed, in the form of OpenAI's API.
struct api_error {
    /// Of the HTTP answer.
    int status = 500;
    /// "invalid_request_error", "authentication_error", "permission_error", "not_found_error",
    /// "rate_limit_error", or "server_error".
    std::string type = "server_error";
    /// For programs, such as "invalid_api_key"; empty = null.
    std::string code{};
    /// For people: names the thing, its value, and what to do.
    std::string message{};
    /// The field of the request that is wrong, as in "messages[0].role"; empty = null.
    std::string param{};
    /// When to try again.
    std::optional<std::chrono::seconds> retry_after{};
    /// For the audit, not for the client: the key that was refused; empty = none, or a wrong one.
    std::string key_name{};
    /// The answer's header fields Allow (405), WWW-Authenticate (401) and Upgrade (426); empty =
    /// none.
    std::string allow{};
    std::string www_authenticate{};
    std::string upgrade{};
};

/// The body of such an answer: `{"error":{"message":…,"type":…,"param":…,"code":…}}`. Bytes that
/// are not UTF-8 are replaced.
std::string body_of(const api_error& e);

/// 503: no request is begun any more.
api_error gateway_stopping();

/// 500: an exception ended what was done for the client.
api_error gateway_broken();

/// What a client sent, for a message: whole characters, at most 64 bytes and an ellipsis.
std::string shown(std::string_view words);

/// What a client learns of a failed reply. Words of the server are not passed on, except those that
/// say what is wrong with the request.
api_error error_of(const error_code& ec, const diagnostics& diag);

}  // namespace tandem::gateway
