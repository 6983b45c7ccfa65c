#pragma once

#include "tandem/duration.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// A function that the model may call, and the program that it runs.
struct command_function {
    std::string name{};
    /// The program and its arguments.
    std::vector<std::string> command{};
    duration limit{};
};

/// The file of `tandem chat --tools`: OpenAI's `tools`, in which each function has a `command` and
/// may have a `timeout_ms`.
struct function_file {
    std::vector<command_function> functions{};
    /// The list without `command` and `timeout_ms`, for generation_options::tools.
    std::string tools{};
    std::vector<std::string> faults{};
};

/// Reports every fault, with its path. Does not throw.
function_file parse_function_file(std::string_view text);

}  // namespace tandem::command
