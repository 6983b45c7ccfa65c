#pragma once

#include "serve/key_command.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// `tandem key` and its flags. The object must outlive the parsing.
class key_flags {
 public:
    static constexpr const char* name = "key";

    explicit key_flags(CLI::App& tandem);

    /// What the parsed flags ask for; `faults` tells what is wrong with them.
    key_options read(std::vector<std::string>& faults);

 private:
    CLI::App& app_;
    key_options options_;
};

}  // namespace tandem::command
