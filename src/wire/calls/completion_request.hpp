#pragma once

#include "wire/json/token_event.hpp"

#include "tandem/config.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace tandem::wire {

/// Text, which the server tokenizes, or token ids.
using prompt_part = std::variant<std::string_view, std::span<const token_id>>;

/// The content of a request to POST /completion. All views must outlive it.
struct completion_request {
    /// The parts of the prompt, in order.
    std::span<const prompt_part> prompt;
    /// Must be a slot of the server; the server silently wraps larger numbers.
    int id_slot = 0;
    /// Maximum number of tokens to generate; -1 = unbounded.
    int n_predict = -1;
    /// If false, the server reuses none of the slot's cache, and evaluates the whole prompt.
    bool reuse_cache = true;
    /// From encode_completion_settings().
    std::string_view settings;
};

/// How the server reports prompt progress during the stream. The final event alone is not enough,
/// because a cancelled stream does not receive it.
enum class prompt_progress_mode {
    timings,   ///< in each token event; works with all builds, but triples the bytes
    progress,  ///< in separate events while it evaluates the prompt
};

/// The settings that all requests of a reply share, as members of a JSON object; build them once.
/// Ignores `max_tokens`, which bounds a reply that may need several requests. By default, the
/// server hides control tokens in its text; these settings make it render the marks of
/// `reasoning_tags`, `call_tokens` and, with tools, the marks of gpt-oss's channels.
std::string encode_completion_settings(const generation_options& options,
                                       std::span<const tag_pair> reasoning_tags = {},
                                       prompt_progress_mode report = prompt_progress_mode::timings,
                                       std::span<const std::string> call_tokens = {});

/// The body of a streaming request with a small final event. The caller must pass valid UTF-8;
/// invalid bytes are replaced.
std::string encode_completion_body(const completion_request& request);

}  // namespace tandem::wire
