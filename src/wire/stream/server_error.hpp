#pragma once

#include "wire/json/token_event.hpp"

#include "tandem/error.hpp"

#include <string_view>

// Maps a server's errors to error codes. Each function with a `diag` fills it, and never returns
// success.
namespace tandem::wire {

/// Whether a proxy answers with this status because it cannot reach the server.
bool is_gateway_error(int http_status) noexcept;

/// The error of an answer with a status other than 2xx. `path` names the request in the message.
error_code decode_error(std::string_view path, int http_status, std::string_view body,
                        diagnostics& diag);

/// The error in an event of a stream that began with HTTP 200.
error_code decode_stream_error(const token_event& event, diagnostics& diag);

/// The error of an answer that is not from a llama-server. `why` describes the fault in a few
/// words.
error_code make_bad_response_error(std::string_view path, int http_status, std::string_view why,
                                   diagnostics& diag);

}  // namespace tandem::wire
