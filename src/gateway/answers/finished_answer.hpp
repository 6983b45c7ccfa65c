#pragma once

#include "gateway/json/api_error.hpp"

#include "tandem/result.hpp"
#include "tandem/server.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace tandem::gateway {

struct answer_usage {
    int prompt_tokens = 0;
    int completion_tokens = 0;
    /// Cached part of prompt_tokens.
    int cached_tokens = 0;
    /// Part of completion_tokens that is reasoning.
    int reasoning_tokens = 0;
    std::optional<tandem::cache_break> cache_break{};
};

/// Usage of a reply. The prompt is counted once, even if the reply took several requests.
answer_usage to_answer_usage(const reply_result& result);

/// The complete result of a reply, independent of the client's request.
struct finished_answer {
    std::string text{};
    std::string reasoning{};
    std::vector<tool_call> calls{};
    finish_reason reason = finish_reason::error;
    answer_usage usage{};
};

/// Whether the reply ended normally: by the model, by a stop word, or at its token limit.
bool is_complete(const finished_answer& answer) noexcept;
/// Memory that the answer occupies.
std::size_t estimate_bytes(const finished_answer& answer) noexcept;
/// The error for a reply that did not end normally.
api_error make_cut_short_error(finish_reason reason);

}  // namespace tandem::gateway
