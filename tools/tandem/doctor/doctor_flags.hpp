#pragma once

#include "doctor/doctor_command.hpp"
#include "flags/config_flags.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// `tandem doctor` and its flags. The object must outlive the parsing.
class doctor_flags {
 public:
    static constexpr const char* name = "doctor";

    explicit doctor_flags(CLI::App& tandem);

    /// What the parsed flags ask for; `faults` tells what is wrong with them.
    doctor_options read(const environment& variables, std::vector<std::string>& faults);

 private:
    CLI::App& app_;
    std::string wait_ = "30s";
    std::string color_ = "auto";
    doctor_options options_;
    config_flags config_;
};

}  // namespace tandem::command
