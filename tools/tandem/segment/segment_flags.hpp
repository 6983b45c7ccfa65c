#pragma once

#include "flags/command_flags.hpp"
#include "flags/config_layers.hpp"
#include "segment/segment_command.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// The `tandem segment` subcommand and its flags. The object must stay alive during parsing.
class segment_flags {
 public:
    static constexpr const char* name = "segment";

    explicit segment_flags(CLI::App& tandem);

    /// Returns the options from the parsed flags. `faults` receives the errors.
    segment_options read(const environment&, std::vector<std::string>& faults);

 private:
    command_flags flags_;
    segment_options options_;
};

}  // namespace tandem::command
