#pragma once

#include "config_layers.hpp"
#include "speech_pace.hpp"

#include "tandem/config.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

enum class color_choice { automatic, always, never };

/// What `tandem replay` was asked for.
struct replay_options {
    config settings{};
    /// A file of prompts, "-" for stdin, or empty.
    std::string file{};
    std::vector<std::string> prompts{};
    std::vector<std::string> user_messages{};
    speech_pace pace{};
    bool json = false;
    int concurrency = 1;
    color_choice color = color_choice::automatic;
    /// Not set: as it suits the output.
    std::optional<tandem::log_level> log_level{};
};

/// What a command line asks for: a replay, or a text to print before leaving with `status`.
struct command_line {
    std::optional<replay_options> replay{};
    int status = 0;
    std::string out{};
    std::string err{};
};

/// Reads the arguments behind the program's name, the environment, and the files that they name.
/// Does not throw for anything they may hold.
command_line parse_command_line(std::vector<std::string> args, const environment& variable);

}  // namespace tandem::command
