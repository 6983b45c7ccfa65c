#pragma once

#include "tandem/duration.hpp"
#include "tandem/server.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::command {

/// What one line asks for: one reply, or with `turns` one after the other.
struct dialogue {
    std::string id{};
    /// Sent as it is. Without it the chat template is applied.
    std::optional<std::string> prompt{};
    /// With `turns`: what comes before them, that is the system message or nothing.
    std::vector<chat_message> messages{};
    /// What the user says, turn by turn.
    std::vector<std::string> turns{};
    std::optional<int> max_tokens{};
    /// Since the start of each reply.
    std::optional<duration> interrupt_after{};

    int replies() const noexcept { return turns.empty() ? 1 : static_cast<int>(turns.size()); }
};

/// What the reply of a turn, which counts from 0, answers: a raw prompt, too.
chat_message said_in(const dialogue& d, int turn);

/// The name of one of `runs` of a dialogue, which count from 0: "p1", of several "p1#2".
std::string run_id(const std::string& dialogue_id, int run, int runs);

/// What is wrong with a line; lines count from 1.
struct prompt_fault {
    std::size_t line = 0;
    std::string message{};
};

struct prompt_file {
    std::vector<dialogue> dialogues{};
    std::vector<prompt_fault> faults{};
};

/// A longer line is refused.
inline constexpr std::size_t max_line_bytes = 16u << 20;

/// Reads JSON Lines of prompts; blank lines are left out. Names every fault, and does not throw.
prompt_file parse_prompts(std::string_view text);

/// Dialogues of raw prompts, then of single messages from the user.
std::vector<dialogue> dialogues_of(const std::vector<std::string>& prompts,
                                   const std::vector<std::string>& user_messages);

}  // namespace tandem::command
