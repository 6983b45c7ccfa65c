#pragma once

#include "flags/config_flags.hpp"
#include "flags/user_speech_flags.hpp"
#include "recording/record_flags.hpp"
#include "recording/recorded_run.hpp"
#include "replay/replay_command.hpp"

#include <CLI/CLI.hpp>

#include <map>
#include <string>
#include <vector>

namespace tandem::command {

/// The `tandem replay` subcommand and its flags. The object must stay alive during parsing.
class replay_flags {
 public:
    static constexpr const char* name = "replay";

    explicit replay_flags(CLI::App& tandem);

    /// Returns the options from the parsed flags. `faults` receives the errors.
    replay_options read(const environment& variables, std::vector<std::string>& faults);

 private:
    /// All flags except those of the configuration.
    struct flag_texts {
        std::string file;
        std::vector<std::string> prompts;
        std::vector<std::string> user_messages;
        std::string system;
        std::string tts = "none";
        user_speech_flags users;
        std::string wait = "0";
        std::string conversations = "1";
        std::string concurrency;
        std::string placement = "least_busy";
        std::string interrupted = "heard";
        std::string interrupted_mark;
        std::string recording;
        std::string speed = "1";
        std::vector<std::string> reports;
        std::string junit;
        std::string color = "auto";
        std::string log_level;
        bool json = false;
    };

    void add_flag(const char* flag, auto& target, const char* value, const char* help,
                  const char* group);
    void add_own_flags();
    void add_conversation_flags();
    void add_recording_flags();
    std::vector<std::string> prompt_faults() const;
    /// Flags that a recording stores: they define the run, not its servers or its output.
    std::map<std::string, std::string*> string_flag_targets();
    bool is_given(const std::string& flag) const;
    double speed(std::vector<std::string>& faults) const;
    opened_recording open(std::vector<std::string>& faults);
    void check_servers(const opened_recording& opened, const service_config& c,
                       std::vector<std::string>& faults) const;
    void read_junit(replay_options& o, std::vector<std::string>& faults) const;
    void read_report(replay_options& o, std::vector<std::string>& faults) const;
    replay_options read_own_flags(std::vector<std::string>& faults);
    void read_conversation_flags(service_config& c, std::vector<std::string>& faults) const;

    CLI::App& app_;
    flag_texts texts_;
    record_flags record_;
    config_flags config_;
};

}  // namespace tandem::command
