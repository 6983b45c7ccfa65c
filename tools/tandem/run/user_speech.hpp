#pragma once

#include "flags/speech_pace.hpp"
#include "flags/user_speech_flags.hpp"

#include "tandem/duration.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// The speech of a simulated user, and what a speech recognizer reports meanwhile. Pure.
namespace tandem::command {

/// The speaking rate of users, as in a calm conversation.
inline constexpr speech_pace user_pace{150};

/// A report of the recognizer.
struct user_speech_step {
    enum class kind {
        partial,    ///< the words so far; the last one may be wrong
        early_end,  ///< the turn has probably ended
        speaks_on,  ///< the user continues after an early end
    };
    /// Time since the user began to speak.
    duration at{};
    kind what = kind::partial;
    /// What the recognizer has understood.
    std::string text{};

    bool operator==(const user_speech_step&) const = default;
};

/// One turn of the user.
struct user_speech {
    /// Ordered by time.
    std::vector<user_speech_step> steps{};
    /// When the end of the turn is certain.
    duration length{};
};

/// Plans how the user speaks `text` in a turn of a dialogue. Equal arguments result in equal plans.
/// The recognizer reports an early end at the end of the last word, and is certain `rules.eager`
/// later. A pause that it mistakes for an end is shorter than `rules.eager`.
user_speech plan_user_speech(std::string_view text, const user_speech_rules& rules,
                             std::int64_t seed, std::string_view dialogue, int turn);

}  // namespace tandem::command
