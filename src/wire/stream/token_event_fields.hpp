#pragma once

#include <string_view>

namespace tandem::wire {

/// The objects with known keys; all others are skipped.
enum class section { top, timings, progress, error };

/// The fields of a token event that are read.
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
    // Error fields start here; see is_error_field().
    error_code,
    error_type,
    error_message,
    error_prompt_tokens,
    error_context,
};

/// The field that a key of an object denotes.
field find_field(section in, std::string_view name) noexcept;

/// Error fields; invalid values in them are ignored, not rejected.
constexpr bool is_error_field(field f) noexcept {
    return f >= field::error_code;
}

}  // namespace tandem::wire
