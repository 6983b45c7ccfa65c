#pragma once

#include "tandem/conversation_options.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem {

/// A message of the user and all up to the next one: calls of tools, their results, answers.
struct saved_exchange {
    /// In their order.
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
    /// Of the turn that `exchanges` ends with.
    saved_turn last_turn{};

    friend bool operator==(const saved_conversation&, const saved_conversation&) = default;
};

/// The conversation as JSON text, which says that it is of version 1. Bytes that are not UTF-8 are
/// replaced. A text of more than 16 MiB, or 100,000 messages, cannot be read back. Never throws but
/// for lack of memory.
std::string saved_text(const saved_conversation& c);

/// Reads such a text into `out`. Strict in types, bounds and the ranges of the options; fields that
/// are not known are passed over, and those that are missing have their defaults. Returns the first
/// fault, with the path of the field as in `exchanges[2].messages[0].role`, or `conversation` if it
/// is in the text as a whole; `out` is not changed then. A newer version is such a fault. Never
/// throws but for lack of memory.
std::optional<config_fault> read_saved(std::string_view text, saved_conversation& out);

}  // namespace tandem
