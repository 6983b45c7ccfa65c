#pragma once

#include "run/slot_stats.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// The figures of one server.
struct server_stats {
    /// In display form.
    std::string url{};
    /// "up", "loading", "down" or "unknown".
    std::string state = "unknown";
    /// The slots that were used, in order.
    std::vector<slot_stats> slots{};
    int replies = 0;  ///< that ended on this server, successfully or not
    int failed = 0;
};

/// The totals of the conversations of a run.
struct conversation_stats {
    int count = 0;
    int turns = 0;
    int trims = 0;
    int moves = 0;
    int resumed = 0;
};

}  // namespace tandem::command
