#pragma once

#include "flags/command_flags.hpp"
#include "flags/config_flags.hpp"
#include "recording/recorded_run.hpp"
#include "replay/replay_command.hpp"

#include <CLI/CLI.hpp>

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
    void add_run_flags();
    void add_conversation_flags();
    void add_recording_flags();
    void add_output_flags();
    void check_texts(std::vector<std::string>& faults) const;
    double speed(std::vector<std::string>& faults) const;
    opened_recording open(std::vector<std::string>& faults);
    void check_servers(const opened_recording& opened, std::vector<std::string>& faults) const;
    void check_outputs(std::vector<std::string>& faults) const;

    command_flags flags_;
    replay_options options_;
    std::string recording_;
    std::string speed_ = "1";
    config_flags config_;
};

}  // namespace tandem::command
