#pragma once

#include "color.hpp"
#include "speech_pace.hpp"

#include "tandem/service.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// What `tandem replay` was asked for.
struct replay_options {
    /// The servers, each once; empty = that of `server`.
    service_config service{};
    /// Whether `server.slots` was asked for; conversations use all slots if not.
    bool has_slots = false;
    /// A file of prompts, "-" for stdin, or empty.
    std::string file{};
    std::vector<std::string> prompts{};
    std::vector<std::string> user_messages{};
    speech_pace pace{};
    duration wait{};
    bool json = false;
    int conversations = 1;
    int concurrency = 1;
    /// Where its report goes, a name in .html, .htm or .svg; empty = there is none.
    std::string report{};
    color_choice color = color_choice::automatic;
    /// Not set: as it suits the output.
    std::optional<tandem::log_level> log_level{};
};

/// Carries out `tandem replay`; returns the exit status.
int run_replay(const replay_options& options);

}  // namespace tandem::command
