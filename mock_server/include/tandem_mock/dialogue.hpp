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

/// The result of /apply-template for `messages`, in ChatML. A last message of the assistant gets no
/// end mark, so that the model continues it. After any other message follows the header of a new
/// assistant message.
std::string render_prompt(const std::vector<message>& messages);

}  // namespace tandem::mock
