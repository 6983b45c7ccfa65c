#pragma once

#include "flags/command_flags.hpp"

#include "tandem/duration.hpp"

#include <optional>

namespace tandem::command {

/// The reports of a simulated speech recognizer while a user speaks.
struct user_speech_rules {
    /// Interval of partial transcripts; unset = none.
    std::optional<duration> partials{};
    /// How long before the certain end of a turn the recognizer reports a likely end; unset =
    /// never.
    std::optional<duration> eager{};
    /// The share of partial transcripts whose last word is wrong, and the share of turns with a
    /// pause that is mistaken for the end of the turn.
    double revise = 0;

    /// Whether users take time to speak.
    bool is_enabled() const noexcept { return partials || eager; }
};

/// The flags of these rules: --partials, --eager and --revise.
void add_user_speech_flags(command_flags& flags, user_speech_rules& rules);

}  // namespace tandem::command
