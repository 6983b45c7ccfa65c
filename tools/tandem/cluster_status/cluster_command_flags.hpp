#pragma once

#include "cluster_status/cluster_command.hpp"
#include "cluster_status/store_flags.hpp"
#include "flags/command_flags.hpp"

#include <CLI/CLI.hpp>

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// The actions of `tandem cluster`: first the parts that it shows, in the order of
/// cluster_view_part.
inline constexpr std::array<std::string_view, 6> cluster_actions{"status",   "slots", "queue",
                                                                 "sessions", "drain", "undrain"};

/// The `tandem cluster` subcommand and its flags. The object must stay alive during parsing.
class cluster_command_flags {
 public:
    static constexpr const char* name = "cluster";

    explicit cluster_command_flags(CLI::App& tandem);

    /// Returns the options from the parsed flags. `faults` receives the errors.
    cluster_command_options read(const environment& variables, std::vector<std::string>& faults);

 private:
    void read_action(cluster_command_options& o, std::vector<std::string>& faults) const;

    command_flags flags_;
    store_flags store_;
    std::string action_ = "status";
    std::string server_;
    bool json_ = false;
};

}  // namespace tandem::command
