#include "reply/machine/reply_options.hpp"

namespace tandem::detail {
namespace {

pacing_rules pacing_of(const config& c, const generation_options& o, bool is_streamed) {
    if (is_streamed || is_constrained(o)) return uncut;
    return make_pacing_rules(c.pacing.mode.value_or(pacing::warm), c.pacing);
}

// If the prompt is raw, a reader gets everything that the model writes, including its reasoning.
std::vector<tag_pair> reasoning_tags_of(const config& c, const reply_options& wish) {
    if (wish.is_raw && wish.streamed_by) return {};
    return c.speech.reasoning_tags;
}

text::speech_options speech_options_of(const config& c, std::optional<stream_by> streamed_by) {
    if (streamed_by == stream_by::token) return {.form = speech_form::exact};
    const auto& s = c.speech;
    return {s.emoji, s.code, s.urls, s.form, s.marks, s.mark_tags, s.replace};
}

}  // namespace

reply_rules make_reply_rules(const config& c, const generation_options& o,
                             const reply_options& wish) {
    const auto streamed_by = wish.streamed_by;
    return {.pacing = pacing_of(c, o, streamed_by.has_value()),
            .peek_hold = c.chunking.peek_hold,
            .first_token_timeout = c.limits.first_token_timeout,
            .between_tokens_timeout = c.limits.between_tokens_timeout,
            .continue_timeout = c.limits.continue_timeout,
            .queue_timeout = c.limits.queue_timeout,
            .reply_timeout = c.limits.reply_timeout,
            .retry_policy = {wish.is_draft ? 0 : c.failover.retries, c.failover.resume_within},
            .is_constrained = is_constrained(o),
            .uses_call_schema = uses_call_schema(o),
            .must_call = must_call(o),
            .may_call_several = o.parallel_tool_calls,
            .chunk_deadline = c.chunking.chunk_deadline,
            .max_tokens = o.max_tokens,
            .erase_after_cut = c.server.erase_after_cut,
            .has_stop_words = !o.stop.empty(),
            .lookahead = static_cast<std::size_t>(o.lookahead),
            .reasoning_tags = reasoning_tags_of(c, wish),
            .reasoning = {c.speech.reasoning_limit, c.speech.reasoning_limit_tokens},
            .hands_over_reasoning = streamed_by.has_value(),
            .speech = speech_options_of(c, streamed_by),
            .is_draft = wish.is_draft};
}

text::chunk_limits make_chunk_limits(const config& c, std::optional<stream_by> streamed_by) {
    return {.first_min_tokens = c.chunking.first_chunk_min_tokens,
            .first_max_tokens = c.chunking.first_chunk_max_tokens,
            .max_tokens = c.chunking.chunk_max_tokens,
            .min_chars = c.chunking.chunk_min_chars,
            .by_token = streamed_by == stream_by::token,
            .mark_tags = c.speech.mark_tags};
}

}  // namespace tandem::detail
