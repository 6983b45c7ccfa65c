#pragma once

#include <string>
#include <string_view>

// Removes prompts from traffic. Prompts occur not only in the field `prompt`, but also as messages,
// as token ids, and in the server's answers.
namespace tandem::wire {

/// Whether requests to this path, or their answers, contain prompts or other text.
bool path_carries_prompts(std::string_view path);

/// The body of a request to `path` without prompts; empty if the body is not JSON.
std::string remove_request_prompts(std::string_view path, std::string_view body);

/// The body of a complete answer, without prompts: each text is replaced by 'x's of the same
/// length, and each id by 0.
std::string remove_answer_prompts(std::string_view path, std::string_view body);

/// A line of a /completion stream, including its '\n', without prompts. Generated text is kept.
/// Prompts occur there, too: a server that ignores `response_fields` repeats the whole prompt in
/// its final event. A line that is not part of an event stream becomes empty.
std::string remove_stream_line_prompts(std::string_view line);

}  // namespace tandem::wire
