#pragma once

#include "tandem_mock/dialogue.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace tandem::mock {

/// The mock's language model: returns the reply to a prompt. If the prompt ends inside a reply,
/// scripted or fallback, returns the rest of that reply.
class model_script {
 public:
    model_script(const std::vector<dialogue>& dialogues, std::vector<scripted_reply> replies);

    /// The text that follows `prompt`, up to the end of the turn; empty if the reply is complete.
    std::string continuation(std::string_view prompt) const;

 private:
    std::optional<std::string> find_in_dialogues(std::string_view prompt) const;
    std::optional<std::string> find_in_suffixes(std::string_view prompt) const;

    std::unordered_map<std::string, std::vector<std::string>> replies_by_prompt_;
    std::vector<scripted_reply> replies_by_suffix_;
};

}  // namespace tandem::mock
