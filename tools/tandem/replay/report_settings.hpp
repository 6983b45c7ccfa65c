#pragma once

#include "replay/replay_command.hpp"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace tandem::command {

/// Returns the settings of a run that are known before it begins, as names and values. Pure.
std::vector<std::pair<std::string, std::string>> report_settings(
    const replay_options& options, int replies, std::chrono::system_clock::time_point now);

}  // namespace tandem::command
