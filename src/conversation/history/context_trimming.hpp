#pragma once

#include "tandem/conversation_options.hpp"

#include <cstddef>
#include <span>

// Keeps a conversation within the context of a slot. All counts are in tokens unless named bytes.
namespace tandem::conversations {

/// The part of the prompt that one exchange takes: a user message and everything up to the next
/// user message.
struct exchange_size {
    int tokens = -1;  ///< -1 = unknown
    std::size_t bytes = 0;

    friend bool operator==(const exchange_size&, const exchange_size&) = default;
};

/// The use of the context.
struct context_usage {
    int context = 0;  ///< of one slot; 0 = unknown, nothing is ever dropped
    int reserve = 0;  ///< kept free for the reply
    double slack = 0;
    int prompt = 0;                 ///< the current prompt, with all exchanges
    std::size_t opening_bytes = 0;  ///< of the system prompt, which is never dropped
    std::size_t dropped_bytes = 0;  ///< of the exchanges dropped so far
    /// Oldest first. The last one is being answered and is never dropped.
    std::span<const exchange_size> exchanges{};
};

struct trim_plan {
    std::size_t drop = 0;  ///< number of oldest exchanges
    /// Whether the prompt and the reply then fit. If `drop` is 0, this is certain, because the
    /// result is based on the prompt's own count; otherwise, count again after dropping.
    bool fits = true;
};

/// Selects the exchanges to drop: none if the prompt and the reserve fit. Otherwise, the remaining
/// prompt must fit, and must begin at a step: the history has a step after about every `slack` of
/// the context. The steps depend only on the older exchanges. Therefore, successive prompts begin
/// alike until they need the next step, even if each prompt is made from the whole history.
trim_plan plan_trim(const context_usage& use);

/// `use` after the user has said another `user_bytes`.
context_usage predict_next_usage(const context_usage& use, std::size_t user_bytes);

/// Whether the next turn is likely not to fit, so that dropping and prefilling early, while the
/// voice speaks, is worthwhile. `user_bytes` is the average length of a user message.
bool is_trim_likely(const context_usage& use, std::size_t user_bytes);

/// Tokens to keep free for a reply of at most `max_tokens`; 0 = unbounded.
int compute_reply_reserve(const conversation_options& options, int max_tokens) noexcept;

}  // namespace tandem::conversations
