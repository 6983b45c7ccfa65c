#pragma once

#include "run/replay_events.hpp"
#include "run/replay_totals.hpp"

#include <string>

// The output of `tandem replay --json`: one object a line, its newline included. Bytes that are
// not UTF-8 come out as U+FFFD, so each line is valid JSON whatever the texts hold.
namespace tandem::command {

std::string json_line(const chunk_event& e);
/// "end", or "error" if the reply failed; that one has what was handed over, too.
std::string json_line(const end_event& e);
std::string json_line(const fault_event& e);
std::string json_line(const replay_summary& s);

}  // namespace tandem::command
