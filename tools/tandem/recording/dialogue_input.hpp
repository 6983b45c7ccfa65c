#pragma once

#include "recording/dialogue.hpp"
#include "terminal/terminal.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// Whether a run uses all of its dialogues or ignores `results` and `expect`, whose functions are
/// then not checked.
enum class dialogue_use { whole, requests };

/// Reads the dialogues of a file, or of stdin for "-". `common`: the options of the run, whose
/// tools and tool choice the dialogues must fit. If there are faults, or the file is empty, prints
/// messages that begin with the command `who` ("tandem replay"), and returns no dialogues.
std::vector<dialogue> read_dialogue_file(const std::string& file, const std::string& who,
                                         const generation_options& common, dialogue_use use,
                                         terminal& t);

/// Returns `given`, the dialogues of a run without a file. If a dialogue lacks the function that
/// `common.tool_choice` names, reports this and returns no dialogues.
std::vector<dialogue> check_dialogues(std::vector<dialogue> given, const std::string& who,
                                      const generation_options& common, terminal& t);

}  // namespace tandem::command
