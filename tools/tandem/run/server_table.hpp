#pragma once

#include "run/server_stats.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// Returns a text table of servers and slots, at most `width` columns wide; `width` must be at
/// least 80.
std::string server_table(const std::vector<server_stats>& servers, int width);

}  // namespace tandem::command
