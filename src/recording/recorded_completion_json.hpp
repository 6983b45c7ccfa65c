#pragma once

#include "wire/json/token_event.hpp"

#include <string>
#include <string_view>

// Reads /completion requests and writes answers, for the playback of a recording.
namespace tandem::wire {

struct recorded_completion_request {
    /// The prompt as JSON text, for comparison; empty if there is none.
    std::string prompt;
    /// The text of the prompt, if the prompt is a single string.
    std::string prompt_text;
    int id_slot = -1;
    /// -1 = unbounded.
    int n_predict = -1;
};

/// Reads the body of a request to /completion; returns default values if it is not JSON.
recorded_completion_request parse_recorded_request(std::string_view body);

/// An event of a stream in llama-server's format, built from the known fields. `e` must not be an
/// error.
std::string encode_stream_event(const token_event& e);

// HTTP statuses, and codes of stream errors: no retry can fix the request; the server does not know
// the request.
inline constexpr int status_bad_request = 400;
inline constexpr int status_not_implemented = 501;

/// An error event that ends a reply permanently.
std::string encode_stream_refusal(std::string_view message);

/// The body of an error answer with this HTTP status.
std::string make_error_body(int http_status, std::string_view message);

}  // namespace tandem::wire
