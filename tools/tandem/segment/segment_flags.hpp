#pragma once

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
    segment_options read(std::vector<std::string>& faults);

 private:
    CLI::App& app_;
    std::string rule_ = "spoken";
    segment_options options_;
};

}  // namespace tandem::command
