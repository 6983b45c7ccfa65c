#pragma once

#include "chat/chat_command.hpp"
#include "flags/config_flags.hpp"
#include "recording/record_flags.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// The `tandem chat` subcommand and its flags. The object must stay alive during parsing.
class chat_flags {
 public:
    static constexpr const char* name = "chat";

    explicit chat_flags(CLI::App& tandem);

    /// Returns the options from the parsed flags. `faults` receives the errors.
    chat_options read(const environment& variables, std::vector<std::string>& faults);

 private:
    /// All flags except those of the configuration.
    struct flag_texts {
        std::string system;
        std::string tts;
        std::string tts_command;
        std::string voice;
        std::string speed = "160";
        std::string sentence_pause = "250ms";
        std::string play;
        std::string player;
        std::string wav;
        std::string vad_stop = "0";
        std::string barge_in_after;
        bool barge_in = false;
        bool eager = false;
        std::string interrupted_mark;
        std::string tools;
        std::string wait = "0";
        std::string load;
        std::string save;
        bool json = false;
        bool quiet = false;
        std::string color = "auto";
        std::string log_level;
    };

    void add_flag(const char* flag, std::string& target, const char* value, const char* help,
                  const char* group);
    void add_voice_flags();
    void add_conversation_flags();
    void add_output_flags();
    void read_voice(chat_options& o, std::vector<std::string>& faults) const;
    void read_conversation(chat_options& o, std::vector<std::string>& faults) const;
    void read_tools(chat_options& o, std::vector<std::string>& faults) const;
    std::vector<std::string> voice_faults() const;

    CLI::App& app_;
    flag_texts texts_;
    record_flags record_;
    config_flags config_;
};

}  // namespace tandem::command
