#pragma once

#include "completion/completion_script.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// The `tandem completion` subcommand and its argument. The object must stay alive during parsing.
class completion_flags {
 public:
    static constexpr const char* name = "completion";
    static constexpr const char* argument = "SHELL";

    explicit completion_flags(CLI::App& tandem);

    static std::vector<std::string> shells();

    /// Returns the requested shell. `faults` receives the errors.
    std::optional<shell> read(std::vector<std::string>& faults) const;

 private:
    CLI::App& app_;
    std::string shell_;
};

}  // namespace tandem::command
