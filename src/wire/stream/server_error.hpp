#pragma once

#include "wire/json/token_event.hpp"

#include "tandem/error.hpp"

#include <string_view>

// What a server's errors mean to us. Each function fills in `diag` and gives a code that is set.
namespace tandem::wire {

/// Of an answer whose status is not 2xx. `path` names what was asked for, in our words.
error_code decode_error(std::string_view path, int http_status, std::string_view body,
                        diagnostics& diag);

/// Of an error event in a stream under HTTP 200.
error_code stream_error(const token_event& event, diagnostics& diag);

/// Of an answer that is not one of a llama-server. `why` says in a few words what is wrong.
error_code not_understood(std::string_view path, int http_status, std::string_view why,
                          diagnostics& diag);

}  // namespace tandem::wire
