#include "reply/machine/reply_wish.hpp"

namespace tandem::detail {
namespace {

pacing_rules pacing_of(const config& c, const generation_options& o, bool is_streamed) {
    if (is_streamed || is_constrained(o)) return uncut;
    return pacing_rules_of(c.pacing, c.ahead_chunks, c.held_chunks_max);
}

}  // namespace

reply_rules rules_of(const config& c, const generation_options& o,
                     std::optional<stream_by> streamed_by) {
    return {.pacing = pacing_of(c, o, streamed_by.has_value()),
            .peek_hold = c.peek_hold,
            .first_token_timeout = c.first_token_timeout,
            .between_tokens_timeout = c.between_tokens_timeout,
            .continue_timeout = c.continue_timeout,
            .queue_timeout = c.queue_timeout,
            .reply_timeout = c.reply_timeout,
            .going_on = {c.retries, c.resume_within},
            .is_constrained = is_constrained(o),
            .chunk_deadline = c.chunk_deadline,
            .max_tokens = o.max_tokens,
            .erase_after_cut = c.erase_after_cut,
            .has_stop_words = !o.stop.empty(),
            .reasoning_tags = c.reasoning_tags,
            .hands_over_reasoning = streamed_by.has_value(),
            .speech = streamed_by == stream_by::token ? speech_form::exact : c.speech,
            .clean = {c.speech_emoji, c.speech_code, c.speech_urls}};
}

text::chunk_limits limits_of(const config& c, std::optional<stream_by> streamed_by) {
    return {.first_min_tokens = c.first_chunk_min_tokens,
            .first_max_tokens = c.first_chunk_max_tokens,
            .max_tokens = c.chunk_max_tokens,
            .min_chars = c.chunk_min_chars,
            .by_token = streamed_by == stream_by::token};
}

}  // namespace tandem::detail
