#pragma once

#include "chat/function_file.hpp"
#include "recording/record_flags.hpp"
#include "sound/speaker.hpp"
#include "terminal/color.hpp"

#include "tandem/instruments.hpp"
#include "tandem/log.hpp"
#include "tandem/service_config.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

struct chat_rules {
    /// How long to wait for servers that are starting or loading their model.
    duration wait{};
    /// Files to load the conversation from and to save it to, or empty.
    std::string load{};
    std::string save{};
    /// The content of `load`.
    std::string saved{};
    /// Whether a new line interrupts the current reply instead of waiting for it to end.
    bool barge_in = false;
    std::optional<duration> barge_in_after{};
    duration vad_stop{};
    /// Whether to pass a line to the conversation while it is being typed, if the line source
    /// reports changes.
    bool eager = false;
    /// The functions of the service's `generation.tools`.
    std::vector<command_function> functions{};
    /// Called once before the first line is read, after all checks have passed. Returning false
    /// ends the chat.
    std::function<bool()> begins = [] { return true; };
};

struct chat_options : chat_rules {
    /// The servers, without duplicates; if empty, the server in `client.server.url`.
    service_config service{};
    tandem::instruments instruments{};
    enum class tts {
        automatic,  ///< espeak-ng if installed
        espeak,
        none,
        command,
    };
    tts synthesizer = tts::automatic;
    /// A shell command line.
    std::string tts_command{};
    /// A voice of espeak-ng; empty = the default of espeak-ng.
    std::string voice_name{};
    /// Whether `voice_name` was derived from the language because no voice was given.
    bool voice_is_language = false;
    int words_per_minute = 160;
    enum class playing { automatic, yes, no };
    playing play = playing::automatic;
    /// A shell command line; empty = aplay.
    std::string player{};
    std::string wav{};
    duration sentence_pause = std::chrono::milliseconds(250);
    record_options record{};
    bool json = false;
    bool quiet = false;
    color_choice color = color_choice::automatic;
    std::optional<tandem::log_level> log_level{};
};

/// Runs `tandem chat`; returns the exit status.
int run_chat(chat_options options);

}  // namespace tandem::command
