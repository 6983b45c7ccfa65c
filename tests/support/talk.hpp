#pragma once

#include "tandem/config.hpp"

#include <string>
#include <vector>

// The dialogues that the talk model knows by heart, and the mock server as well.
namespace tandem::testing {

/// One assistant turn of a dialogue.
struct talk_turn {
    std::string name;    ///< "soup-recipe", "timer/2"
    std::string prompt;  ///< the chat template applied
    std::string reply;   ///< what the model says to it
};

constexpr const char* talk_file = TANDEM_SOURCE_DIR "/tests/model/dialogues.jsonl";

/// All turns, second ones after their first.
const std::vector<talk_turn>& talk_turns();
/// The first turn of this dialogue.
const talk_turn& talk_turn_of(const std::string& dialogue);

/// The text of one uncut request, as a client with these options sends it.
std::string uncut_text(const std::string& url, const std::string& prompt,
                       const generation_options& options = {});

}  // namespace tandem::testing
