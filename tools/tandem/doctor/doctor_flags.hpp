#pragma once

#include "cluster_status/store_flags.hpp"
#include "doctor/doctor_command.hpp"
#include "flags/command_flags.hpp"
#include "flags/config_flags.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// The `tandem doctor` subcommand and its flags. The object must stay alive during parsing.
class doctor_flags {
 public:
    static constexpr const char* name = "doctor";

    explicit doctor_flags(CLI::App& tandem);

    /// Returns the options from the parsed flags. `faults` receives the errors.
    doctor_options read(const environment& variables, std::vector<std::string>& faults);

 private:
    command_flags flags_;
    doctor_options options_;
    config_flags config_;
    store_flags store_;
};

}  // namespace tandem::command
