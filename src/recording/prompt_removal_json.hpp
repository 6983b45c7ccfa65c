#pragma once

#include <string>
#include <string_view>

// A prompt is in more than a prompt: in messages, in ids, and in what a server makes of them.
namespace tandem::wire {

/// Whether requests to this path, or their answers, contain prompts or texts.
bool tells_prompts(std::string_view path);

/// The body of a request to `path` without them; empty if it is no JSON.
std::string request_without_prompts(std::string_view path, std::string_view body);

/// The body of an answer that came whole. Texts become as many bytes of 'x', and ids as many 0.
std::string answer_without_prompts(std::string_view path, std::string_view body);

/// A line of the stream that /completion answers, with its '\n'. What is generated stays. A server
/// that does not know `response_fields` says the whole prompt again in its final event. Nothing is
/// left of a line that is none of an event stream.
std::string stream_line_without_prompts(std::string_view line);

}  // namespace tandem::wire
