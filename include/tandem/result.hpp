#pragma once

#include "tandem/error.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// Why a reply ended.
enum class finish_reason {
    eos,          ///< the model said so
    stop_word,    ///< one of `generation_options::stop` came
    length,       ///< `max_tokens` or the context is used up
    interrupted,  ///< interrupt() was called, or the reply's handle destroyed
    error,        ///< see `reply_result::error`
};

/// Its name, as in logs and JSON.
std::string_view to_string(finish_reason r) noexcept;

/// Tokens of one reply, over all its requests.
struct token_usage {
    /// Tokens of the prompt as the caller gave it.
    int prompt = 0;
    /// Prompt tokens of all requests that slots still held, and those that were evaluated.
    int cached = 0;
    int evaluated = 0;
    /// Tokens that slots were prefilled with (`pacing::warm`): evaluated while the voice spoke, and
    /// not in `evaluated`.
    int warmed = 0;
    /// Tokens generated and read, the end token included.
    int generated = 0;
    /// Tokens whose text was handed over in chunks, and of those the ones in chunks that were
    /// continued.
    int handed_over = 0;
    int heard = 0;
    /// generated - handed_over: the end token, and what an interrupt left behind.
    int wasted = 0;

    /// The names of the usual token accounting.
    int prompt_tokens() const noexcept { return cached + evaluated; }
    int completion_tokens() const noexcept { return generated; }
    int total_tokens() const noexcept { return prompt_tokens() + completion_tokens(); }
    int cache_read_input_tokens() const noexcept { return cached; }
    /// Cached share of all prompt tokens, 0 to 1; 0 if there were none.
    double cache_hit_ratio() const noexcept;
};

/// How a reply used the slots.
struct slot_metrics {
    int slot = -1;  ///< of the last request; -1 if there was none
    /// Whether that was also the slot that the client had used last before, for any reply.
    bool slot_reused = false;
    int chunks = 0;            ///< handed over
    int requests = 0;          ///< sent to /completion
    int cuts = 0;              ///< requests ended by closing the connection
    int guard_waits = 0;       ///< requests that had to wait for a slot's guard
    double guard_wait_ms = 0;  ///< all these waits together
    /// How long requests waited for slots, the guard included: all of them, and the first one.
    double slot_wait_ms = 0;
    double first_slot_wait_ms = 0;
    double total_ms = 0;         ///< from start to end
    double first_chunk_ms = -1;  ///< from start to the hand-over of the first chunk; -1 if none
    double longest_gap_ms = 0;   ///< from a continue to the hand-over of the next chunk
    /// How near the limits came that are named in brackets: the longest wait of each kind, also one
    /// that ended otherwise, as by a failure or the limit itself. 0 if there was none.
    double longest_connect_ms = 0;  ///< until a connection was up, TLS included (connect_timeout)
    double longest_first_token_ms = 0;  ///< request to first token (first_token_timeout)
    double longest_token_gap_ms = 0;    ///< token to token (between_tokens_timeout)
    double longest_continue_ms = 0;     ///< hand-over to continue (continue_timeout)
    /// How often the reply had to go on after its server failed, or could not be reached.
    int retries = 0;
    /// How many of these times a server answered again.
    int went_on = 0;
    int warmings = 0;  ///< requests that prefilled a slot (`pacing::warm`)
    /// Cuts whose slot was seen idle at the server (`verify_cut`) before the reply ended.
    int verified_cuts = 0;
    /// The longest time from a cut until its slot was seen idle; 0 if none was verified.
    double cancel_to_idle_ms = 0;
};

/// Something that happened in a reply.
struct timeline_event {
    /// What can happen.
    enum class kind {
        slot_wait,    ///< the guard, or another request, holds the next slot back
        request,      ///< a request was sent
        first_token,  ///< its first token came
        boundary,     ///< a chunk could end here, and waits for its peek
        cut,          ///< the connection was closed
        chunk,        ///< a chunk was handed over
        continued,    ///< the consumer said continue
        end,          ///< the reply ended
        warming,      ///< a slot is being prefilled with the text so far
        warmed,       ///< it is
        lost,         ///< the server failed, and another one, or the same, is asked to go on
    };
    /// What happened.
    kind what = kind::request;
    /// Since the reply's start, in ns.
    std::int64_t at_ns = 0;
    /// The slot and the chunk's seq where they apply, else -1.
    int slot = -1;
    int chunk = -1;
    /// Whose slot that is: an index of `reply_result::servers`; -1 without a slot.
    int server = -1;
    /// Of a `request`: how long the slot's guard held it back, in ms.
    double guard_wait_ms = 0;
};

/// Its name, as in logs and JSON.
std::string_view to_string(timeline_event::kind k) noexcept;

/// Bytes of `reply_result::reasoning`; what is beyond them is left out.
inline constexpr std::size_t max_reasoning_bytes = std::size_t{1} << 20;

/// How a reply ended: there is exactly one for each reply.
struct reply_result {
    /// Why the reply ended.
    tandem::finish_reason finish_reason = tandem::finish_reason::error;
    /// Set exactly if finish_reason is `error`.
    error_code error{};
    /// What is known of that error; empty without one.
    tandem::diagnostics diagnostics{};
    /// All text that was handed over.
    std::string text{};
    /// Text that was read after it and not handed over, because an interrupt or an error came
    /// first.
    std::string unspoken_text{};
    /// What the model wrote for itself between the marks of `config::reasoning_tags`, without them
    /// and the white space behind the opening one. Not part of the text.
    std::string reasoning{};
    /// What it cost in tokens.
    token_usage usage{};
    /// What it cost in slots and time.
    slot_metrics metrics{};
    /// URLs of the servers that it ran on, as they were configured, each once, in the order in
    /// which it came to them. Empty if it found none.
    std::vector<std::string> servers{};
    /// The first 4096 events; later ones are dropped, except the end.
    std::vector<timeline_event> timeline{};
    /// How many were dropped; they stand before the end.
    int dropped_events = 0;

    /// The log line: LLMSlotMetrics(slot=0, reused=True, chunks=3, time=850ms, cached=245, …).
    std::string metrics_line() const;
};

}  // namespace tandem
