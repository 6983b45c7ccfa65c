#pragma once

#include "tandem/duration.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// What a simulated speech recogniser reports while a user speaks.
struct user_speech_rules {
    /// Interval of partial transcripts; unset = none.
    std::optional<duration> partials{};
    /// How long the end of a turn is expected before it is certain; unset = not at all.
    std::optional<duration> eager{};
    /// The share of last words of partial transcripts that are wrong, and of turns with a pause
    /// that is mistaken for their end.
    double revise = 0;

    /// Whether users take time to speak.
    bool speak() const noexcept { return partials || eager; }
};

/// The flags of these rules: --partials, --eager and --revise.
class user_speech_flags {
 public:
    /// The flags belong to a group of this name.
    void add_to(CLI::App& app, const char* group);
    user_speech_rules read(std::vector<std::string>& faults) const;

    std::string partials;
    std::string eager;
    std::string revise;
};

}  // namespace tandem::command
