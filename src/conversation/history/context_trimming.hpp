#pragma once

#include "tandem/conversation_options.hpp"

#include <cstddef>
#include <span>

// Keeps a conversation within the context of a slot. All counts are in tokens unless named bytes.
namespace tandem::conversations {

/// The size of an exchange in the prompt. An exchange is a user message and everything up to the
/// next one.
struct exchange_size {
    int tokens = -1;  ///< -1 = unknown
    std::size_t bytes = 0;

    friend bool operator==(const exchange_size&, const exchange_size&) = default;
};

/// The use of the context.
struct context_usage {
    int context = 0;  ///< of one slot; 0 = unknown: nothing is dropped
    int reserve = 0;  ///< kept free for the reply
    double slack = 0;
    int prompt = 0;                 ///< the current prompt, with all exchanges
    std::size_t opening_bytes = 0;  ///< of the system prompt, which is never dropped
    std::size_t dropped_bytes = 0;  ///< of the exchanges dropped so far
    /// Oldest first. The last exchange is never dropped, because it is the one to answer.
    std::span<const exchange_size> exchanges{};
};

struct trim_plan {
    std::size_t drop = 0;  ///< number of oldest exchanges
    /// Whether the prompt and the reply fit after dropping. If `drop` is 0, this is exact;
    /// otherwise, it is an estimate: render and count the shorter prompt.
    bool fits = true;
};

/// Selects the exchanges to drop: none if the prompt and the reserve fit. Otherwise, drops enough
/// for the prompt to fit, and then up to the next step. Steps divide the history into parts that
/// take about `slack` of the context each. Their positions depend only on older exchanges, so the
/// next prompts begin at the same step until they no longer fit, and the server can reuse its
/// cache. This holds even if each prompt is made from the whole history.
trim_plan plan_trim(const context_usage& use);

/// Returns `use` with a further user message of `user_bytes`.
context_usage predict_next_usage(const context_usage& use, std::size_t user_bytes);

/// Whether the next turn will probably not fit. If so, it is worthwhile to drop exchanges and
/// prefill early, while the voice speaks. `user_bytes` is the average length of a user message.
bool is_trim_likely(const context_usage& use, std::size_t user_bytes);

/// Tokens to keep free for a reply of at most `max_tokens`; 0 = unbounded.
int compute_reply_reserve(const conversation_options& options, int max_tokens) noexcept;

}  // namespace tandem::conversations
