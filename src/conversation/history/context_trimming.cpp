#include "conversation/history/context_trimming.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace tandem::conversations {
namespace {

// For English text; used only if nothing was counted.
constexpr double typical_bytes_per_token = 4;

double bytes_per_token(const context_usage& use) noexcept {
    double bytes_with_ids = 0, known_tokens = 0;
    auto all_bytes = static_cast<double>(use.opening_bytes);
    for (const auto& e : use.exchanges) {
        const auto bytes = static_cast<double>(e.bytes);
        all_bytes += bytes;
        if (e.tokens <= 0) continue;
        bytes_with_ids += bytes;
        known_tokens += e.tokens;
    }
    if (bytes_with_ids > 0) return bytes_with_ids / known_tokens;
    if (all_bytes > 0 && use.prompt > 0) return all_bytes / use.prompt;
    return typical_bytes_per_token;
}

/// At least one, so that dropping any exchange reduces the sum.
double tokens_of(std::size_t bytes, double bytes_per_token) noexcept {
    return std::max(1.0, std::floor(static_cast<double>(bytes) / bytes_per_token));
}

/// The server rejects a prompt that leaves no room for even a single token.
double needed(const context_usage& use) noexcept {
    return static_cast<double>(use.prompt) + std::max(use.reserve, 1);
}

/// Rounded down to a power of two: the ratio changes a little from turn to turn, but the steps must
/// stay where they are.
std::size_t bytes_of_step(const context_usage& use, double bytes_per_token) noexcept {
    const auto slack = use.context * use.slack * bytes_per_token;
    return std::bit_floor(std::max<std::size_t>(1, static_cast<std::size_t>(slack)));
}

}  // namespace

trim_plan plan_trim(const context_usage& use) {
    double taken = needed(use);
    trim_plan plan;
    if (use.context <= 0 || taken <= use.context) return plan;
    const auto ratio = bytes_per_token(use);
    const auto step = bytes_of_step(use, ratio);
    auto dropped = use.dropped_bytes;
    bool is_at_step = false;
    while ((taken > use.context || !is_at_step) && plan.drop + 1 < use.exchanges.size()) {
        const auto& oldest = use.exchanges[plan.drop++];
        taken -= oldest.tokens >= 0 ? oldest.tokens : tokens_of(oldest.bytes, ratio);
        is_at_step = (dropped + oldest.bytes) / step > dropped / step;
        dropped += oldest.bytes;
    }
    plan.fits = taken <= use.context;
    return plan;
}

context_usage predict_next_usage(const context_usage& use, std::size_t user_bytes) {
    auto next = use;
    const auto more = tokens_of(user_bytes, bytes_per_token(use));
    constexpr double most = 1e9;
    next.prompt = static_cast<int>(std::min(most, use.prompt + more));
    return next;
}

bool is_trim_likely(const context_usage& use, std::size_t user_bytes) {
    return use.context > 0 && needed(predict_next_usage(use, user_bytes)) > use.context;
}

int compute_reply_reserve(const conversation_options& options, int max_tokens) noexcept {
    return max_tokens > 0 ? std::min(max_tokens, options.reply_reserve) : options.reply_reserve;
}

}  // namespace tandem::conversations
