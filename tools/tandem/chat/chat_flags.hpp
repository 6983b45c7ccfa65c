#pragma once

#include "chat/chat_command.hpp"
#include "flags/command_flags.hpp"
#include "flags/config_flags.hpp"

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
    void add_conversation_flags();
    void add_voice_flags();
    void add_output_flags();
    void check_voice(std::vector<std::string>& faults);
    void read_conversation(std::vector<std::string>& faults);
    void read_tools(std::vector<std::string>& faults);

    command_flags flags_;
    chat_options options_;
    std::string system_;
    std::string tools_;
    config_flags config_;
};

}  // namespace tandem::command
