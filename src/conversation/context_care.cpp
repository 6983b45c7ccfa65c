#include "conversation/context_care.hpp"

#include <algorithm>
#include <cmath>

namespace tandem::conversations {
namespace {

// English text; used only where nothing was counted.
constexpr double usual_bytes_per_token = 4;

double bytes_per_token(const context_use& use) noexcept {
    double known_bytes = 0, known_tokens = 0;
    auto all_bytes = static_cast<double>(use.opening_bytes);
    for (const auto& e : use.exchanges) {
        const auto bytes = static_cast<double>(e.bytes);
        all_bytes += bytes;
        if (e.tokens <= 0) continue;
        known_bytes += bytes;
        known_tokens += e.tokens;
    }
    if (known_bytes > 0) return known_bytes / known_tokens;
    if (all_bytes > 0 && use.prompt > 0) return all_bytes / use.prompt;
    return usual_bytes_per_token;
}

/// At least one, so that dropping gets on.
double tokens_of(std::size_t bytes, double bytes_per_token) noexcept {
    return std::max(1.0, std::floor(static_cast<double>(bytes) / bytes_per_token));
}

/// The server refuses a prompt that leaves no room for a single token.
double needed(const context_use& use) noexcept {
    return static_cast<double>(use.prompt) + std::max(use.reserve, 1);
}

}  // namespace

trim_plan plan_trim(const context_use& use) {
    double taken = needed(use);
    trim_plan plan;
    if (use.context <= 0 || taken <= use.context) return plan;
    const auto ratio = bytes_per_token(use);
    const auto goal = use.context * (1 - use.slack);
    while (taken > goal && plan.drop + 1 < use.exchanges.size()) {
        const auto& oldest = use.exchanges[plan.drop++];
        taken -= oldest.tokens >= 0 ? oldest.tokens : tokens_of(oldest.bytes, ratio);
    }
    plan.fits = taken <= use.context;
    return plan;
}

context_use with_next_message(const context_use& use, std::size_t user_bytes) {
    auto next = use;
    const auto more = tokens_of(user_bytes, bytes_per_token(use));
    constexpr double most = 1e9;
    next.prompt = static_cast<int>(std::min(most, use.prompt + more));
    return next;
}

bool may_need_trim(const context_use& use, std::size_t user_bytes) {
    return use.context > 0 && needed(with_next_message(use, user_bytes)) > use.context;
}

int reserve_for(const conversation_options& options, int max_tokens) noexcept {
    return max_tokens > 0 ? std::min(max_tokens, options.reply_reserve) : options.reply_reserve;
}

}  // namespace tandem::conversations
