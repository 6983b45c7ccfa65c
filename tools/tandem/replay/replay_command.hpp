#pragma once

#include "flags/speech_pace.hpp"
#include "recording/prompt_file.hpp"
#include "recording/record_flags.hpp"
#include "terminal/color.hpp"

#include "tandem/recording.hpp"
#include "tandem/service.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// What `tandem replay` was asked for.
struct replay_options {
    /// The servers, each once; empty = that of `server`.
    service_config service{};
    /// A file of prompts, "-" for stdin, or empty.
    std::string file{};
    std::vector<std::string> prompts{};
    std::vector<std::string> user_messages{};
    /// Takes the place of servers and prompts, with what was asked then; may be null.
    std::shared_ptr<recording> played{};
    std::vector<dialogue> played_dialogues{};
    /// "the recording run.rec, speed 3"; empty if none is played.
    std::string played_source{};
    /// What is missing of it; mostly empty.
    std::string played_note{};
    record_options record{};
    /// Flags that a recording keeps, by their names without "--".
    std::map<std::string, std::string> recorded_flags{};
    speech_pace pace{};
    duration wait{};
    bool json = false;
    int conversations = 1;
    int concurrency = 1;
    /// Where its report goes: names in .html, .htm or .svg, each another form of it.
    std::vector<std::string> reports{};
    color_choice color = color_choice::automatic;
    /// Not set: as it suits the output.
    std::optional<tandem::log_level> log_level{};
};

/// Carries out `tandem replay`; returns the exit status.
int run_replay(replay_options options);

}  // namespace tandem::command
