#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace tandem::command {

/// What can stand at a place of a command line.
enum class completed_by {
    nothing,  ///< a switch, which has no value
    words,
    files,
    folders,
    user,  ///< a text that nobody else knows
};

/// A flag, or the argument of a command if it has no names.
struct completed_flag {
    std::vector<std::string> names{};  ///< "-h", "--help"
    std::string help{};
    std::string value{};  ///< placeholder of its value, as in the help
    completed_by by = completed_by::nothing;
    std::vector<std::string> words{};
};

struct completed_command {
    std::string name{};
    std::string help{};
    std::vector<completed_flag> flags{};
};

/// What a shell completes: `commands` after the name of the program, or one of `flags`.
struct completion_words {
    std::vector<completed_flag> flags{};
    std::vector<completed_command> commands{};
};

completion_words words_of(const CLI::App& tandem);

}  // namespace tandem::command
