#pragma once

#include "wire/json/token_event.hpp"

#include "tandem/config.hpp"

#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace tandem::wire {

/// Text, which the server makes tokens of, or tokens.
using prompt_part = std::variant<std::string_view, std::span<const token_id>>;

/// What a request to POST /completion says. All views must outlive it.
struct completion_request {
    /// The prompt in order.
    std::span<const prompt_part> prompt;
    /// Must be one that the server has: others are wrapped there silently.
    int id_slot = 0;
    /// Tokens to generate at most; -1 = no bound.
    int n_predict = -1;
    /// False: what the slot holds is evaluated again, as it is not to be used.
    bool reuse_cache = true;
    /// From completion_settings().
    std::string_view settings;
};

/// How the server reports its progress with the prompt, before the final event, which a cut stream
/// has not.
enum class prompt_report {
    timings,   ///< with each token: all builds, at three times the bytes
    progress,  ///< while it evaluates the prompt
};

/// What all requests of a reply have in common, as members of a JSON object: made once.
/// `max_tokens` is not read: it bounds a reply, which may need several requests. The server shows
/// the marks of `reasoning_tags` in its text even where they are control tokens, which it hides
/// otherwise.
std::string completion_settings(const generation_options& options,
                                std::span<const tag_pair> reasoning_tags = {},
                                prompt_report report = prompt_report::timings);

/// The body of the request: a stream whose final event is small. Text that is not UTF-8 is the
/// caller's fault; its bad bytes are replaced.
std::string completion_body(const completion_request& request);

}  // namespace tandem::wire
