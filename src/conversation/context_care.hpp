#pragma once

#include "tandem/conversation_options.hpp"

#include <cstddef>
#include <span>

// How a conversation is kept inside the context of a slot. All counts are tokens unless they say
// bytes.
namespace tandem::conversations {

/// What one exchange takes of the prompt: a message of the user, and all up to the next one.
struct exchange_cost {
    int tokens = -1;  ///< -1 = not known
    std::size_t bytes = 0;

    friend bool operator==(const exchange_cost&, const exchange_cost&) = default;
};

/// How full the context is.
struct context_use {
    int context = 0;  ///< of one slot; 0 = not known, so that nothing is ever dropped
    int reserve = 0;  ///< to be kept free for the reply
    double slack = 0;
    int prompt = 0;                 ///< the prompt as it is now, with all exchanges
    std::size_t opening_bytes = 0;  ///< of the system prompt, which stays
    /// From the oldest on. The last one is being answered, and stays too.
    std::span<const exchange_cost> exchanges{};
};

struct trim_plan {
    std::size_t drop = 0;  ///< of the oldest exchanges
    /// Whether prompt and reply fit then. Where `drop` is 0 this is certain: it is the prompt's own
    /// count; otherwise count again after dropping.
    bool fits = true;
};

/// Which exchanges have to go. None, as long as prompt and reserve fit; else as many as it takes
/// to free the slack too, so that it need not be done again for the next turn.
trim_plan plan_trim(const context_use& use);

/// The same use once the user has said another `user_bytes`.
context_use with_next_message(const context_use& use, std::size_t user_bytes);

/// Whether the next turn is likely not to fit, so that it is worth to drop and prefill early, while
/// the voice speaks. `user_bytes` is how much the user says on average.
bool may_need_trim(const context_use& use, std::size_t user_bytes);

/// Tokens to be kept free for a reply of at most `max_tokens`; 0 = no bound.
int reserve_for(const conversation_options& options, int max_tokens) noexcept;

}  // namespace tandem::conversations
