#pragma once

#include "gateway/http/http_exchange.hpp"
#include "gateway/json/api_error.hpp"

#include <optional>
#include <string>
#include <string_view>

// Checks of a request before its route is known. Pure.
namespace tandem::gateway {

/// HTTP 400.
api_error make_malformed_error(std::string message);

/// Why the end of the request is uncertain, so that the connection must be closed.
std::optional<api_error> find_framing_fault(const http_request& head);

/// Whether the id that a client gives its request is safe for logs and responses: short and
/// printable.
bool is_request_id(std::string_view id);

/// Whether a browser sends this request to ask whether a page may send another request.
bool is_preflight(const http_request& head);

}  // namespace tandem::gateway
