#pragma once

#include <string_view>

namespace tandem::wire {

/// The objects whose keys mean something; all others are skipped.
enum class section { top, timings, progress, error };

/// What of a token event is read.
enum class field {
    other,
    content,
    tokens,
    token,
    stop,
    stop_type,
    stopped_eos,
    stopped_word,
    stopped_limit,
    stopping_word,
    id_slot,
    truncated,
    predicted,
    prompt_tokens,
    slot_tokens,
    timings,
    progress,
    error,
    cached,
    evaluated,
    prompt_ms,
    predicted_ms,
    progress_cached,
    progress_processed,
    // From here on of errors; see is_of_error().
    error_code,
    error_type,
    error_message,
    error_prompt_tokens,
    error_context,
};

/// The field a key of an object stands for.
field find_field(section in, std::string_view name) noexcept;

/// Fields that say what went wrong: what is odd in them is left out, not refused.
constexpr bool is_of_error(field f) noexcept {
    return f >= field::error_code;
}

}  // namespace tandem::wire
