#pragma once

#include "recording/record_flags.hpp"
#include "sound/voice.hpp"
#include "terminal/color.hpp"

#include "tandem/log.hpp"
#include "tandem/service_config.hpp"

#include <optional>
#include <string>

namespace tandem::command {

/// What `tandem chat` was asked for.
struct chat_options {
    /// The servers, each once; empty = that of `server`.
    service_config service{};
    duration wait{};
    enum class tts {
        automatic,  ///< espeak-ng where it is there
        espeak,
        none,
        command,
    };
    tts synthesiser = tts::automatic;
    /// A line of the shell.
    std::string tts_command{};
    /// Of espeak-ng; empty = its own.
    std::string voice_name{};
    /// It is the language, as none was given.
    bool voice_is_language = false;
    int words_per_minute = 160;
    enum class playing { automatic, yes, no };
    playing play = playing::automatic;
    /// A line of the shell; empty = aplay.
    std::string player{};
    std::string wav{};
    duration sentence_pause = std::chrono::milliseconds(250);
    duration vad_stop{};
    /// A line interrupts, also where stdin is no terminal.
    bool barge_in = false;
    std::optional<duration> barge_in_after{};
    /// Files of the conversation, or empty.
    std::string load{};
    std::string save{};
    record_options record{};
    bool json = false;
    bool quiet = false;
    color_choice color = color_choice::automatic;
    std::optional<tandem::log_level> log_level{};
};

/// Carries out `tandem chat`; returns the exit status.
int run_chat(chat_options options);

}  // namespace tandem::command
