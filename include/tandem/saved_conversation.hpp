#pragma once

#include "tandem/conversation_options.hpp"

#include <cstddef>
#include <vector>

namespace tandem {

/// A message of the user and all up to the next one: calls of tools, their results, answers.
struct saved_exchange {
    std::vector<chat_message> messages{};
    /// What it takes of the prompt, in tokens of the model that was used; -1 = not known.
    int tokens = -1;

    friend bool operator==(const saved_exchange&, const saved_exchange&) = default;
};

/// How far the last turn got, in bytes of its text: generated ≥ handed over ≥ heard.
struct saved_turn {
    std::size_t generated = 0;
    std::size_t handed_over = 0;
    std::size_t heard = 0;

    friend bool operator==(const saved_turn&, const saved_turn&) = default;
};

/// A conversation as plain data, for a store or another process.
struct saved_conversation {
    /// How it is held; `messages` is the system prompt alone.
    conversation_options options{};
    /// From the oldest on. What is kept of the last turn is in it.
    std::vector<saved_exchange> exchanges{};
    saved_turn last_turn{};

    friend bool operator==(const saved_conversation&, const saved_conversation&) = default;
};

}  // namespace tandem
