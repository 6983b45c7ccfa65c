#pragma once

#include "bench/bench_command.hpp"
#include "flags/command_flags.hpp"
#include "flags/config_flags.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// The `tandem bench` subcommand and its flags. The object must stay alive during parsing.
class bench_flags {
 public:
    static constexpr const char* name = "bench";

    explicit bench_flags(CLI::App& tandem);

    /// Returns the options from the parsed flags. `faults` receives the errors.
    bench_options read(const environment& variables, std::vector<std::string>& faults);

 private:
    void add_load_flags();
    void add_capacity_flags();
    void add_prompt_flags();
    void add_output_flags();
    void check_load(std::vector<std::string>& faults);
    void check_capacity(std::vector<std::string>& faults);
    void check_mock(std::vector<std::string>& faults);

    command_flags flags_;
    bench_options options_;
    bool has_capacity_ = false;
    capacity_options capacity_;
    config_flags config_;
};

}  // namespace tandem::command
