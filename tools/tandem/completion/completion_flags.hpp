#pragma once

#include "flags/command_flags.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// The `tandem completion` subcommand and its argument. The object must stay alive during parsing.
class completion_flags {
 public:
    static constexpr const char* name = "completion";

    explicit completion_flags(CLI::App& tandem);

    /// Returns the script of the requested shell. `faults` receives the errors.
    std::string read(std::vector<std::string>& faults) const;

 private:
    command_flags flags_;
    std::string shell_;
};

}  // namespace tandem::command
