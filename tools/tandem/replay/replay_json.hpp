#pragma once

#include "run/replay_events.hpp"
#include "run/replay_totals.hpp"

#include <string>

// Formats the output of `tandem replay --json`: one object per line, including the newline. Invalid
// UTF-8 becomes U+FFFD, so each line is valid JSON.
namespace tandem::command {

std::string json_line(const chunk_event& e);
/// Has the type "end", or "error" for a failed reply. Both types contain the text that was handed
/// over.
std::string json_line(const end_event& e);
std::string json_line(const fault_event& e);
std::string json_line(const replay_summary& s);

}  // namespace tandem::command
