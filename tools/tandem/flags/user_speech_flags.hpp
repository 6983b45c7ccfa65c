#pragma once

#include "flags/command_flags.hpp"

#include "tandem/duration.hpp"

#include <optional>

namespace tandem::command {

/// What a simulated speech recognizer reports while a user speaks.
struct user_speech_rules {
    /// Interval of partial transcripts; unset = none.
    std::optional<duration> partials{};
    /// The recognizer reports a likely end of the turn this long before the end is certain; unset =
    /// never.
    std::optional<duration> eager{};
    /// Probability that the last word of a partial transcript is wrong, and that the recognizer
    /// mistakes a pause in a turn for its end.
    double revise = 0;

    /// Whether the run simulates users who take time to speak.
    bool is_enabled() const noexcept { return partials || eager; }
};

/// Adds --partials, --eager and --revise.
void add_user_speech_flags(command_flags& flags, user_speech_rules& rules);

}  // namespace tandem::command
