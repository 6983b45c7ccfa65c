#include "completion/completion_flags.hpp"

#include "completion/completion_script.hpp"

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

}  // namespace

completion_flags::completion_flags(CLI::App& tandem)
    : flags_(tandem, name, completion_text, "print a shell completion script") {
    flags_.begin_group("shell");
    flags_.add_argument("SHELL", shell_, "bash, zsh or fish");
    flags_.begin_group("help");
    flags_.add_help_flag();
}

std::string completion_flags::read(std::vector<std::string>& faults) const {
    faults = describe_unknown_flags(flags_.app());
    // Stops here, because CLI11 takes the value of an unknown flag for an argument, and faults of
    // this argument would mislead.
    if (!faults.empty()) return {};
    faults = describe_surplus_arguments(flags_.app());
    if (shell_.empty())
        faults.push_back("SHELL is missing; it must be bash, zsh or fish");
    else if (const auto chosen = read_choice("SHELL", shell_names, shell_, faults))
        return std::string(completion_scripts[*chosen]);
    return {};
}

}  // namespace tandem::command
