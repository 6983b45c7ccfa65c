#pragma once

#include <string>
#include <vector>

namespace tandem::mock {

struct message {
    std::string role{};
    std::string content{};
};

/// A scripted conversation: each assistant message is the server's reply to the messages before it.
struct dialogue {
    std::string id{};
    std::vector<message> messages{};
};

/// The server's reply to any prompt that ends with `prompt_suffix`.
struct scripted_reply {
    std::string prompt_suffix{};
    std::string reply{};
};

/// Reads JSON Lines of `{"id", "messages": [{"role", "content"}…]}`, skipping empty lines. Throws
/// std::runtime_error with the file name and line number.
std::vector<dialogue> load_dialogues(const std::string& path);

/// The result of /apply-template for `messages`: ChatML, followed by the header of the next
/// assistant message, or open-ended if the last message is the assistant's.
std::string render_prompt(const std::vector<message>& messages);

}  // namespace tandem::mock
