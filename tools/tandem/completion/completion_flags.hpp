#pragma once

#include "completion/completion_script.hpp"

#include <CLI/CLI.hpp>

#include <optional>
#include <string>
#include <vector>

namespace tandem::command {

/// `tandem completion` and its argument. The object must outlive the parsing.
class completion_flags {
 public:
    static constexpr const char* name = "completion";
    static constexpr const char* argument = "SHELL";

    explicit completion_flags(CLI::App& tandem);

    static std::vector<std::string> shells();

    /// The shell that is asked for; `faults` tells what is wrong.
    std::optional<shell> read(std::vector<std::string>& faults) const;

 private:
    CLI::App& app_;
    std::string shell_;
};

}  // namespace tandem::command
