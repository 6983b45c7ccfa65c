#pragma once

#include "tandem/chunk.hpp"
#include "tandem/error.hpp"
#include "tandem/server.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {
inline namespace v0 {

/// Why a reply ended.
enum class finish_reason {
    eos,          ///< the model ended it
    stop_word,    ///< one of `generation_options::stop` was generated
    length,       ///< `max_tokens` or the context is used up
    tool_calls,   ///< the model called functions: `reply_result::calls`
    interrupted,  ///< interrupt() was called, or the handle was destroyed
    error,        ///< see `reply_result::error`
};

/// The name of the value, as in logs and JSON.
std::string_view to_string(finish_reason r) noexcept;

/// Tokens of one reply, over all its requests.
struct token_usage {
    /// Tokens of the original prompt.
    int prompt = 0;
    /// Cached and evaluated prompt tokens of all requests.
    int cached = 0;
    int evaluated = 0;
    /// Tokens of prefills (`pacing::warm`); not included in `evaluated`.
    int warmed = 0;
    /// Received tokens, including the end token.
    int generated = 0;
    /// The part of `generated` that is reasoning and its marks.
    int reasoning = 0;
    /// The part of `generated` that the reply took from a draft.
    int drafted = 0;
    /// Generated tokens of drafts that were dropped since the previous turn.
    int draft_wasted = 0;
    /// Prompt tokens that drafts and conversation::hearing() evaluated since the previous turn; not
    /// included in `evaluated`.
    int prefilled = 0;
    /// Tokens in delivered chunks and, of these, in continued chunks.
    int handed_over = 0;
    int heard = 0;
    /// generated - handed_over: the end token, and tokens that were not delivered.
    int wasted = 0;

    /// These figures under the names that other APIs use.
    int prompt_tokens() const noexcept { return cached + evaluated; }
    int completion_tokens() const noexcept { return generated; }
    int total_tokens() const noexcept { return prompt_tokens() + completion_tokens(); }
    int cache_read_input_tokens() const noexcept { return cached; }
    /// Cached share of all prompt tokens, 0 to 1; 0 if there were none.
    double cache_hit_ratio() const noexcept;
};

/// The point at which the prompt of a turn differs from that of the previous turn, so that the
/// server evaluates everything after this point again. An interrupted reply does not cause a break,
/// because history keeps the beginning of the reply.
struct cache_break {
    /// What changed.
    enum class cause {
        system_prompt,  ///< for example, it contains the time; see `generation_options::context`
        tools,          ///< the tools or the template's options
        trimmed,        ///< the oldest exchanges were dropped, because the context is full
        history,        ///< an earlier message, or the template renders it differently
    };
    cause why = cause::history;
    /// Tokens of the prompt that the slot still held, according to the server.
    int at = 0;
    /// Tokens of the previous turn's prompt.
    int of = 0;
    /// The new prompt around the difference, at most 64 bytes.
    std::string text{};

    friend bool operator==(const cache_break&, const cache_break&) = default;
};

/// The name of the value, as in logs, JSON and metrics.
std::string_view to_string(cache_break::cause c) noexcept;

/// How a reply used the slots.
struct slot_metrics {
    int slot = -1;  ///< slot of the last request; -1 if none
    /// Whether the client's previous request, for any reply, used the same slot.
    bool slot_reused = false;
    int chunks = 0;            ///< delivered chunks
    int requests = 0;          ///< requests to /completion
    int cuts = 0;              ///< requests that were cut
    int guard_waits = 0;       ///< requests that waited for a slot's guard
    double guard_wait_ms = 0;  ///< sum of these waits
    /// Waits for slots, including the guard: the sum, and that of the first request.
    double slot_wait_ms = 0;
    double first_slot_wait_ms = 0;
    /// If the reply continues from a draft, the times from the start of the draft to its first
    /// token and to its end; otherwise 0.
    double draft_first_token_ms = 0;
    double draft_ms = 0;
    /// How long the model reasoned, and whether the library closed the reasoning, at a limit or
    /// because the text ended.
    double reasoning_ms = 0;
    bool reasoning_cut = false;
    double total_ms = 0;         ///< from start to end
    double first_chunk_ms = -1;  ///< from start to the first chunk; -1 if none
    double longest_gap_ms = 0;   ///< from a continue to the next chunk
    /// The longest wait under each limit, including waits that ended with a failure or at the
    /// limit; 0 if there was none.
    double longest_connect_ms = 0;      ///< to connect, including TLS (connect_timeout)
    double longest_first_token_ms = 0;  ///< request to first token (first_token_timeout)
    double longest_token_gap_ms = 0;    ///< token to token (between_tokens_timeout)
    double longest_continue_ms = 0;     ///< delivery to continue (continue_timeout)
    /// How many further requests the reply needed after failures of its server.
    int retries = 0;
    /// How many of these requests were answered.
    int went_on = 0;
    int warmings = 0;  ///< requests that prefilled a slot (`pacing::warm`)
    /// Number of cuts after which the slot was seen idle (`verify_cut`) before the reply ended.
    int verified_cuts = 0;
    /// The longest time from such a cut until the slot was seen idle; 0 if no cut was verified.
    double cancel_to_idle_ms = 0;
};

/// An event of a reply.
struct timeline_event {
    /// Kinds of events.
    enum class kind {
        slot_wait,    ///< the next slot is delayed by the guard or another request
        request,      ///< a request was sent
        first_token,  ///< its first token arrived
        boundary,     ///< a chunk may end here; the reply waits for the peek
        cut,          ///< the connection was closed
        chunk,        ///< a chunk was delivered
        continued,    ///< the consumer continued
        end,          ///< the reply ended
        warming,      ///< a prefill started
        warmed,       ///< the prefill ended
        lost,         ///< the server failed; the reply continues on it or on another one
    };
    /// What happened.
    kind what = kind::request;
    /// Time since the reply's start, in ns.
    std::int64_t at_ns = 0;
    /// The slot, and the chunk's `seq`; -1 if the event has none.
    int slot = -1;
    int chunk = -1;
    /// The slot's server, as an index of `reply_result::servers`; -1 without a slot.
    int server = -1;
    /// How long a `request` waited for the slot's guard, in ms.
    double guard_wait_ms = 0;
};

/// The name of the value, as in logs and JSON.
std::string_view to_string(timeline_event::kind k) noexcept;

/// A request to /completion, made for a reply. Times are since the reply's start, in ns.
struct request_figures {
    /// The server, as an index of `reply_result::servers`, and the slot.
    int server = -1;
    int slot = -1;
    /// When the request was sent, when its first token arrived (-1 if none did), and when it ended.
    std::int64_t sent_ns = 0;
    std::int64_t first_token_ns = -1;
    std::int64_t ended_ns = 0;
    /// Cached and evaluated prompt tokens and received tokens, as far as the server reports them.
    int cached = 0;
    int evaluated = 0;
    int generated = 0;
};

/// Maximum length of `reply_result::reasoning` in bytes; the rest is dropped.
inline constexpr std::size_t max_reasoning_bytes = std::size_t{1} << 20;

/// The functions that a reply called.
struct called_functions {
    /// In the order of the text; empty if the model called none.
    std::vector<tool_call> calls{};
    /// The last chunk of the text before the calls, which may not have been delivered yet. Unset if
    /// there is no text.
    std::optional<chunk_id> after{};
};

/// The outcome of a reply.
struct reply_result {
    /// Why the reply ended.
    tandem::finish_reason finish_reason = tandem::finish_reason::error;
    /// Set if and only if finish_reason is `error`.
    error_code error{};
    /// Details of that error; empty without one.
    tandem::diagnostics diagnostics{};
    /// The delivered text, including a chunk that an interrupt withheld on its way to the handler.
    std::string text{};
    /// Further text that was received, but not delivered because of an interrupt or an error.
    std::string unspoken_text{};
    /// The model's reasoning between the marks of `speech_config::reasoning_tags`, without the
    /// marks. Not part of the text. A resumed reply includes the reasoning of the reply before it.
    std::string reasoning{};
    /// The functions that the model called after the text, in order, each with its own id. Only in
    /// replies of a conversation with `generation_options::tools`.
    std::vector<tool_call> calls{};
    /// Tokens.
    token_usage usage{};
    /// Why the server evaluated more than the new words, if a change of the prompt is the cause.
    /// Only in conversations.
    std::optional<tandem::cache_break> cache_break{};
    /// Slots and times.
    slot_metrics metrics{};
    /// Configured URLs of the servers that the reply ran on, each once, in order. Empty if it found
    /// no server.
    std::vector<std::string> servers{};
    /// The first 4096 requests.
    std::vector<request_figures> requests{};
    /// The first 4096 events; later ones are dropped, except the end.
    std::vector<timeline_event> timeline{};
    /// Number of dropped events, all before the end.
    int dropped_events = 0;

    /// The log line: LLMSlotMetrics(slot=0, reused=True, chunks=3, time=850ms, cached=245, …).
    std::string metrics_line() const;
};

}  // namespace v0
}  // namespace tandem
