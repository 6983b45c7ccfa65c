#pragma once

#include "cluster_status/cluster_command.hpp"
#include "cluster_status/store_flags.hpp"
#include "flags/command_flags.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// The `tandem cluster` subcommand and its flags. The object must stay alive during parsing.
class cluster_command_flags {
 public:
    static constexpr const char* name = "cluster";

    explicit cluster_command_flags(CLI::App& tandem);

    /// Returns the options from the parsed flags. `faults` receives the errors.
    cluster_command_options read(const environment& variables, std::vector<std::string>& faults);

 private:
    command_flags flags_;
    store_flags store_;
    bool json_ = false;
};

}  // namespace tandem::command
