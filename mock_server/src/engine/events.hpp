#pragma once

#include "answers/api_error.hpp"
#include "answers/completion_request.hpp"
#include "engine/generation.hpp"

#include <chrono>
#include <optional>
#include <string>

// The JSON of responses to completion requests, and its framing as server-sent events.
namespace tandem::mock {

using nanoseconds = std::chrono::nanoseconds;

/// Counts and times of one completion.
struct progress_counts {
    int prompt_tokens = 0;
    int cached = 0;
    int processed = 0;  ///< prompt tokens in the slot, including cached ones
    int predicted = 0;
    nanoseconds prompt_time{0};
    nanoseconds predict_time{0};
};

std::string token_event(const sampled_token& s, const progress_counts& c, bool with_timings);
std::string prompt_progress_event(const progress_counts& c);
std::string error_event(const api_error& e);
inline constexpr const char* ping_event = ":\n\n";

/// JSON of the final event, which is also the non-streamed response.
std::string final_json(const completion_request& r, const generation& g, const progress_counts& c,
                       int slot, const std::string& model);

/// JSON of the response to POST /v1/chat/completions, with the calls in the text to parse and the
/// generated text; nullopt if the server could not parse the two.
std::optional<std::string> chat_completion_json(const completion_request& r, const generation& g,
                                                const progress_counts& c, const std::string& model);

/// data: …
std::string to_sse_event(const std::string& text);

}  // namespace tandem::mock
