#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// How a position of the command line is completed.
enum class completion_kind {
    nothing,  ///< a switch without a value
    words,
    files,
    folders,
    user,  ///< free text
};

/// A flag, or an argument of a command if `names` is empty.
struct flag_completion {
    std::vector<std::string> names{};  ///< "-h", "--help"
    std::string help{};
    std::string value{};  ///< placeholder in the help text
    completion_kind by = completion_kind::nothing;
    std::vector<std::string> words{};
};

struct command_completion {
    std::string name{};
    std::string help{};
    std::vector<flag_completion> flags{};
};

/// What a shell can complete: the `commands` after the program name, or `flags`.
struct completion_words {
    std::vector<flag_completion> flags{};
    std::vector<command_completion> commands{};
};

completion_words collect_completion_words(const CLI::App& tandem);

}  // namespace tandem::command
