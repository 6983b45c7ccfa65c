#pragma once

#include <string>
#include <vector>

namespace tandem::mock {

struct message {
    std::string role{};
    std::string content{};
};

/// A scripted conversation: each assistant message is what the server says after the ones before.
struct dialogue {
    std::string id{};
    std::vector<message> messages{};
};

/// What the server says after any prompt that ends in `prompt_suffix`.
struct scripted_reply {
    std::string prompt_suffix{};
    std::string reply{};
};

/// Reads JSON Lines of `{"id", "messages": [{"role", "content"}…]}`; empty lines are skipped.
/// Throws std::runtime_error that names the file and the line.
std::vector<dialogue> load_dialogues(const std::string& path);

/// The prompt that /apply-template makes of `messages`: ChatML, with the header of the next
/// assistant message, or open-ended if the last message is the assistant's.
std::string render_prompt(const std::vector<message>& messages);

}  // namespace tandem::mock
