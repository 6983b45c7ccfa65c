#pragma once

#include "recording/dialogue.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// A fault in a line; lines count from 1.
struct prompt_fault {
    std::size_t line = 0;
    std::string message{};
};

struct prompt_file {
    std::vector<dialogue> dialogues{};
    std::vector<prompt_fault> faults{};
};

/// A longer line is rejected.
inline constexpr std::size_t max_line_bytes = 16u << 20;

/// Parses prompts in JSON Lines and skips blank lines. Reports every fault. Does not throw.
prompt_file parse_prompts(std::string_view text);

}  // namespace tandem::command
