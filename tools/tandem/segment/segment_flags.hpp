#pragma once

#include "segment/segment_command.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// `tandem segment` and its flags. The object must outlive the parsing.
class segment_flags {
 public:
    static constexpr const char* name = "segment";

    explicit segment_flags(CLI::App& tandem);

    /// What the parsed flags ask for; `faults` tells what is wrong with them.
    segment_options read(std::vector<std::string>& faults);

 private:
    CLI::App& app_;
    std::string rule_ = "spoken";
    segment_options options_;
};

}  // namespace tandem::command
