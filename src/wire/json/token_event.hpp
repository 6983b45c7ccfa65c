#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::wire {

using token_id = std::int32_t;

/// Why the server stopped, as it reports.
enum class stop_type { none, eos, word, limit };

/// The server's names, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> stop_type_names{"none", "eos", "word", "limit"};

/// The `timings` of an event.
struct timings {
    int cached = 0;     ///< cache_n: prompt tokens reused from the slot's cache
    int evaluated = 0;  ///< prompt_n: prompt tokens evaluated
    /// Set only in the final event, because the parse of a partial event stops after the counts.
    double prompt_ms = 0;
    double predicted_ms = 0;
};

/// Upper limit of a plausible count: no server has more tokens in one request. Sums of a few such
/// counts cannot overflow.
constexpr int max_reported_tokens = 1 << 24;
/// Sums of such counts saturate at this value.
constexpr int max_token_sum = 1 << 30;

/// One event of a /completion stream. Reuse the objects: decoding into a used object does not
/// allocate.
struct token_event {
    enum class kind {
        token,     ///< text (may be empty) and the id of its last token
        progress,  ///< prompt processing: the counts of `timings` so far; carries no token
        final,     ///< the last event of a complete stream
        error,     ///< {"error": …} in the stream
    };
    kind what = kind::token;
    /// Text of the event. May be empty (withheld stop word, incomplete character, special token).
    /// From decode(): the received bytes; from completion_reader: valid UTF-8.
    std::string content;
    /// Number of token events that this text comes from: more than one if earlier events ended
    /// inside a character.
    int events = 1;
    /// Ids of the tokens in `content`. If several tokens form it, only the id of the last one.
    /// Empty in events of other kinds.
    std::vector<token_id> tokens;
    /// tokens_predicted: tokens generated so far in this request, including withheld ones.
    int predicted = 0;
    /// tokens_evaluated: length of the whole prompt, including cached tokens.
    int prompt_tokens = 0;
    bool has_timings = false;
    tandem::wire::timings timings;

    /// Only in the final event.
    stop_type stop = stop_type::none;
    std::string stopping_word;
    int id_slot = -1;
    /// tokens_cached: tokens that the slot holds.
    int slot_tokens = 0;
    bool truncated = false;

    /// Only in an error event.
    int error_status = 0;
    std::string error_type;
    /// The server's message: at most 4 KiB of valid UTF-8, one line.
    std::string error_message;
    /// Only with exceed_context_size_error.
    int error_prompt_tokens = 0;
    int error_context = 0;
};

/// Whether the event shows that prompt processing, in which some servers crash, has ended.
inline bool is_generation_event(const token_event& e) noexcept {
    return e.what == token_event::kind::token || e.what == token_event::kind::final;
}

/// Whether the event reports a partly evaluated prompt.
inline bool is_partial_prompt_progress(const token_event& e) noexcept {
    const auto& t = e.timings;
    return e.what == token_event::kind::progress && t.evaluated > 0 &&
           t.cached + t.evaluated < e.prompt_tokens;
}

}  // namespace tandem::wire
