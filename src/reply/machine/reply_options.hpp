#pragma once

#include "reply/machine/pacing_rules.hpp"
#include "server/retry_policy.hpp"
#include "text/chunks/chunker.hpp"
#include "text/chunks/reasoning_meter.hpp"
#include "text/speech/speech_cleaner.hpp"

#include "tandem/config.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

namespace tandem::detail {

struct reply_rules {
    pacing_rules pacing{};
    duration peek_hold;
    duration first_token_timeout;
    duration between_tokens_timeout;
    duration continue_timeout;
    /// Maximum time that a request waits for its slot.
    duration queue_timeout = std::chrono::seconds(60);
    /// Maximum time of the whole reply, including the voice; 0 = unbounded.
    duration reply_timeout{};
    retry_limits retry_policy{};
    /// A grammar constrains the text. Nothing is cut, because a further request would start the
    /// grammar again.
    bool is_constrained = false;
    /// The text is JSON that is or may be a call; see uses_call_schema().
    bool uses_call_schema = false;
    bool must_call = false;
    bool may_call_several = true;
    /// Maximum time from a chunk's first token to its hand-over while no other chunk is being
    /// spoken; 0 = unbounded.
    duration chunk_deadline{};
    /// Maximum number of tokens of the whole reply; 0 = unbounded.
    int max_tokens = 0;
    bool erase_after_cut = false;
    bool has_stop_words = false;
    /// Number of chunks that are handed over while an earlier one is being spoken.
    std::size_t lookahead = 0;
    std::vector<tag_pair> reasoning_tags{};
    /// Reasoning that reaches a limit is closed, and the reply continues. If there is a limit,
    /// reasoning also ends after half of max_tokens, so that tokens are left to speak.
    text::reasoning_limits reasoning{};
    /// Hands over reasoning as pieces without text, which are not chunks. A piece without text or
    /// reasoning shows that the prompt is being evaluated.
    bool hands_over_reasoning = false;
    text::speech_options speech{.form = speech_form::exact};
    /// The reply hands over nothing, and ends as interrupted when its first chunk is complete,
    /// before a tool call, or when its text ends.
    bool is_draft = false;
};

/// How long a draft is kept for the turn that continues from it.
inline constexpr duration draft_lifetime = std::chrono::seconds(5);

struct reply_options {
    generation_options options{};
    /// Unit of delivery to a reader; nullopt: chunks at the pace of a voice.
    std::optional<stream_by> streamed_by{};
    /// See reply_rules.
    bool is_draft = false;
    /// The prompt is raw: `conversation_options::raw`.
    bool is_raw = false;
};

/// The rules of a reply. `o` are its options, with the defaults of the configuration.
reply_rules make_reply_rules(const config& c, const generation_options& o,
                             const reply_options& wish);
text::chunk_limits make_chunk_limits(const config& c, std::optional<stream_by> streamed_by);

}  // namespace tandem::detail
