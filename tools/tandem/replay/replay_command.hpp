#pragma once

#include "flags/speech_pace.hpp"
#include "flags/user_speech_flags.hpp"
#include "recording/dialogue.hpp"
#include "recording/record_flags.hpp"
#include "terminal/color.hpp"

#include "tandem/instruments.hpp"
#include "tandem/recording.hpp"
#include "tandem/service.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

struct replay_rules {
    speech_pace pace{};
    /// How users speak before each of their messages.
    user_speech_rules users{};
    /// How often each dialogue runs. The runs are concurrent, as far as `concurrency` allows.
    int conversations = 1;
    /// Number of concurrent dialogues.
    int concurrency = 1;
    /// How long to wait for servers that are starting or loading their model.
    duration wait{};
};

struct replay_options : replay_rules {
    /// The servers, without duplicates; if empty, the server in `client.server.url`.
    service_config service{};
    tandem::instruments instruments{};
    /// Path of the prompt file or the recording; "-" for stdin; empty if there is neither.
    std::string file{};
    std::vector<std::string> prompts{};
    std::vector<std::string> user_messages{};
    /// The system prompt of the user messages; may be empty.
    std::string system{};
    /// A recording and its dialogues, which replace servers and prompts; may be null.
    std::shared_ptr<recording> played{};
    std::vector<dialogue> played_dialogues{};
    /// "the recording run.rec, speed 3"; empty without a recording.
    std::string played_source{};
    /// A note on missing data; usually empty.
    std::string played_note{};
    record_options record{};
    /// Flags that a recording stores; keys are the flag names without "--".
    std::map<std::string, std::string> recorded_flags{};
    bool json = false;
    /// Files for the report. The extension (.html, .htm or .svg) selects the format.
    std::vector<std::string> reports{};
    /// The JUnit file, or empty.
    std::string junit{};
    color_choice color = color_choice::automatic;
    /// Unset: off for text output without verify_cut, otherwise `warning`.
    std::optional<tandem::log_level> log_level{};
};

/// Runs `tandem replay`; returns the exit status.
int run_replay(replay_options options);

}  // namespace tandem::command
