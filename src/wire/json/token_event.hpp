#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::wire {

using token_id = std::int32_t;

/// Why the server says it stopped.
enum class stop_type { none, eos, word, limit };

/// As it writes them, in the order of the enumeration.
inline constexpr std::array<std::string_view, 4> stop_type_names{"none", "eos", "word", "limit"};

/// The `timings` of an event.
struct timings {
    int cached = 0;     ///< cache_n: prompt tokens the slot still held
    int evaluated = 0;  ///< prompt_n: prompt tokens evaluated
    /// Of the final event only: partial ones are read up to the counts.
    double prompt_ms = 0;
    double predicted_ms = 0;
};

/// No server has more in one request; what is above is no count. So few of them can be added up
/// without overflow.
constexpr int max_tokens_told = 1 << 24;
/// Where a sum of such counts stops.
constexpr int max_tokens_counted = 1 << 30;

/// One event of a /completion stream. Objects are meant to be used again and again: decoding into
/// one that was used before does not allocate.
struct token_event {
    enum class kind {
        token,     ///< text (maybe empty) and the id of its last token
        progress,  ///< prompt processing: the counts of `timings` so far; carries no token
        final,     ///< the last event of a whole stream
        error,     ///< {"error": …} in the stream
    };
    kind what = kind::token;
    /// Text of the event; may be empty (withheld stop word or half character, special token). As
    /// decode() gives it, the bytes that came; as completion_reader gives it, valid UTF-8.
    std::string content;
    /// Token events whose text this is: more than one where those before ended inside a character.
    int events = 1;
    /// Ids in the event: the last token's only, if several made up its text. Empty in other kinds.
    std::vector<token_id> tokens;
    /// tokens_predicted: generated so far in this request, withheld ones included.
    int predicted = 0;
    /// tokens_evaluated: length of the whole prompt, cached tokens included.
    int prompt_tokens = 0;
    bool has_timings = false;
    tandem::wire::timings timings;

    /// Final event only.
    stop_type stop = stop_type::none;
    std::string stopping_word;
    int id_slot = -1;
    /// tokens_cached: tokens the slot holds now.
    int slot_tokens = 0;
    bool truncated = false;

    /// Error event only.
    int error_status = 0;
    std::string error_type;
    /// The server's words: at most 4 KiB, valid UTF-8, one line.
    std::string error_message;
    /// exceed_context_size_error only.
    int error_prompt_tokens = 0;
    int error_context = 0;
};

/// Whether the server has come after the prompt, where some die.
inline bool is_of_generation(const token_event& e) noexcept {
    return e.what == token_event::kind::token || e.what == token_event::kind::final;
}

/// Whether it reports a prompt that is partly evaluated.
inline bool is_in_mid_prompt(const token_event& e) noexcept {
    const auto& t = e.timings;
    return e.what == token_event::kind::progress && t.evaluated > 0 &&
           t.cached + t.evaluated < e.prompt_tokens;
}

}  // namespace tandem::wire
