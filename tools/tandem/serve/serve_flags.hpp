#pragma once

#include "cluster_status/store_flags.hpp"
#include "flags/command_flags.hpp"
#include "flags/config_flags.hpp"
#include "serve/serve_command.hpp"
#include "text/word_list.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// The `tandem serve` subcommand and its flags. The object must stay alive during parsing.
class serve_flags {
 public:
    static constexpr const char* name = "serve";

    explicit serve_flags(CLI::App& tandem);

    /// Returns the options from the parsed flags and the files that they name. `faults` receives
    /// the errors.
    serve_options read(const environment& variables, std::vector<std::string>& faults);

 private:
    void add_gateway_flags();
    void add_access_flags();
    void add_output_flags();
    void check_empty(std::vector<std::string>& faults) const;
    void read_adapters(std::vector<std::string>& faults);
    void read_traces(const environment& variables, std::vector<std::string>& faults);
    void read_configuration(const environment& variables, std::vector<std::string>& faults);
    void read_keys(std::vector<std::string>& faults);
    void read_tls(std::vector<std::string>& faults);
    void read_denied(std::vector<std::string>& faults);
    void check_gateway(std::vector<std::string>& faults) const;

    command_flags flags_;
    serve_options options_;
    std::vector<std::string> adapters_;
    std::string denied_file_;
    word_list denied_;
    store_flags cluster_;
    config_flags config_;
};

}  // namespace tandem::command
