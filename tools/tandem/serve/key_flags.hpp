#pragma once

#include "flags/command_flags.hpp"
#include "flags/config_layers.hpp"
#include "serve/key_command.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// The `tandem key` subcommand and its flags. The object must stay alive during parsing.
class key_flags {
 public:
    static constexpr const char* name = "key";

    explicit key_flags(CLI::App& tandem);

    /// Returns the options from the parsed flags. `faults` receives the errors.
    key_options read(const environment&, std::vector<std::string>& faults);

 private:
    command_flags flags_;
    key_options options_;
};

}  // namespace tandem::command
