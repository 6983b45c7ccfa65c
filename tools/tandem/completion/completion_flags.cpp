#include "completion/completion_flags.hpp"

#include "flags/flag_parsing.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>

namespace tandem::command {
namespace {

constexpr const char* completion_text = R"(Example:
  source <(tandem completion bash)

Prints a script for a shell that completes the commands of tandem, their flags,
and the values of the flags.

Usage: tandem completion SHELL

The installation of tandem puts the scripts where bash, zsh and fish look for
them. To install one only for yourself:
  tandem completion bash >~/.local/share/bash-completion/completions/tandem
  tandem completion zsh >~/.zfunc/_tandem   (a folder of fpath, before compinit)
  tandem completion fish >~/.config/fish/completions/tandem.fish

Exit status: 0 printed, 1 the script could not be written, 2 wrong use.)";

// Indexed by the enumeration.
constexpr std::array<std::string_view, 3> shell_names{"bash", "zsh", "fish"};

}  // namespace

completion_flags::completion_flags(CLI::App& tandem)
    : app_(*tandem.add_subcommand(name, completion_text)) {
    app_.footer("print a shell completion script");
    app_.allow_extras();
    app_.set_help_flag();
    app_.add_option(argument, shell_, "bash, zsh or fish")->group("shell");
    app_.set_help_flag("-h,--help", "show this help")->group("help");
}

std::vector<std::string> completion_flags::shells() {
    return {shell_names.begin(), shell_names.end()};
}

std::optional<shell> completion_flags::read(std::vector<std::string>& faults) const {
    faults = unknown_flags(app_);
    // CLI11 parses the value of an unknown flag as an argument, so further faults would mislead.
    if (!faults.empty()) return std::nullopt;
    faults = surplus_arguments(app_);
    shell chosen{};
    if (shell_.empty())
        faults.push_back("SHELL is missing; it must be bash, zsh or fish");
    else
        read_choice(argument, shell_names, shell_, chosen, faults);
    return chosen;
}

}  // namespace tandem::command
