#pragma once

#include "reply/machine/voice_pace.hpp"
#include "reply/transcript/reply_transcript.hpp"
#include "reply/transcript/tokenized_text.hpp"
#include "text/chunks/chunker.hpp"
#include "text/chunks/reasoning_filter.hpp"
#include "text/chunks/reasoning_meter.hpp"
#include "text/chunks/tool_call_splitter.hpp"

#include "tandem/result.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tandem::detail {

/// The state that an ended reply leaves for another one to continue from.
struct reply_remainder {
    reply_transcript text{};
    text::reasoning_filter reasoning{std::vector<tag_pair>()};
    text::reasoning_meter meter{};
    text::tool_call_splitter calls{};
    /// Visible text that was generated but not handed over. Text that `reasoning` and
    /// `calls` withhold may follow it.
    std::string unspoken{};
    /// In a draft, the chunk at the start of `unspoken`, if it is complete. It is kept for its
    /// number of tokens, which cannot be derived from the text.
    std::optional<text::chunk_text> drafted_chunk{};
    /// The text of the reasoning, which may contain a call, or the beginning of one, that gpt-oss
    /// wrote to a channel.
    std::string reasoning_text{};
    /// Why generation had ended, if the calls were not parsed yet.
    std::optional<finish_reason> parses_as{};
    /// Why generation had ended; nullopt if more text would have followed.
    std::optional<finish_reason> generated{};
    /// The pace of the voice, as learned so far.
    voice_pace pace{};
};

/// Work that was done for a reply in advance; see `token_usage` and `slot_metrics`.
struct early_work {
    int drafted = 0;
    int draft_wasted = 0;
    int prefilled = 0;
    double draft_first_token_ms = 0;
    double draft_ms = 0;
    std::optional<cache_break> broken{};
};

/// Text that another process generated after a prompt.
struct begun_text {
    /// The whole text. Its end, `unspoken`, must be handed over.
    std::string text{};
    std::string unspoken{};
};

/// What a reply starts from: a prompt, or the rest of an interrupted reply.
struct reply_origin {
    prompt_with_ids prompt{};
    /// Only with `prompt`: text that was already generated after it.
    std::optional<begun_text> begun{};
    std::optional<reply_remainder> rest{};
    /// With `rest` or `begun`: the visible text before its `unspoken`, which was already spoken.
    std::string spoken{};
    /// With `prompt`: the text with which a tool call begins; empty if none is expected.
    std::string call_mark{};
    /// The text from the mark to the function's name; empty if not known.
    std::string call_lead{};
    /// With `prompt`: the marks that the model writes around its words.
    text::reply_delimiters word_marks{};
    early_work early{};
};

}  // namespace tandem::detail
