#pragma once

#include "tandem/config.hpp"

#include <string>
#include <vector>

// The dialogues that the talk model and the mock server reproduce word for word.
namespace tandem::testing {

/// One assistant turn of a dialogue.
struct talk_turn {
    std::string name;    ///< "soup-recipe", "timer/2"
    std::string prompt;  ///< with the chat template applied
    std::string reply;   ///< the model's answer to the prompt
};

constexpr const char* talk_file = TANDEM_SOURCE_DIR "/tests/model/dialogues.jsonl";

/// All turns. The second turn of a dialogue follows the first one.
const std::vector<talk_turn>& talk_turns();
/// The first turn of this dialogue.
const talk_turn& talk_turn_of(const std::string& dialogue);

/// Sends one request as a client with these options would, but never cuts it. Returns the whole
/// answer.
std::string uncut_text(const std::string& url, const std::string& prompt,
                       const generation_options& options = {});

}  // namespace tandem::testing
