#pragma once

#include "recording/dialogue.hpp"
#include "terminal/terminal.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// Whether a run uses the `results` and `expect` of its dialogues, and therefore needs valid ones.
enum class dialogue_use { whole, requests };

/// Reads the dialogues of a file, or of stdin for "-". `common`: the options of the run, which the
/// dialogues must match. If there are faults, or the file is empty, prints messages that begin with
/// the command `who` ("tandem replay"), and returns no dialogues.
std::vector<dialogue> read_dialogue_file(const std::string& file, const std::string& who,
                                         const generation_options& common, dialogue_use use,
                                         terminal& t);

/// Returns `given`, the dialogues of a run without a file. If a dialogue cannot follow the tool
/// choice, reports this and returns no dialogues.
std::vector<dialogue> check_dialogues(std::vector<dialogue> given, const std::string& who,
                                      const generation_options& common, terminal& t);

}  // namespace tandem::command
