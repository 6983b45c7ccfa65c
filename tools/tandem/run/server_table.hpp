#pragma once

#include "run/server_figures.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// A table of servers and their slots, for people; at most `width` columns wide, where that is 80
/// at least.
std::string server_table(const std::vector<server_figures>& servers, int width);

}  // namespace tandem::command
