#pragma once

#include "run/slot_figures.hpp"

#include <string>
#include <vector>

namespace tandem::command {

/// What a run did at one server.
struct server_figures {
    /// As it may be shown.
    std::string url{};
    /// "up", "loading", "down" or "unknown".
    std::string state = "unknown";
    /// Those that were used, in their order.
    std::vector<slot_figures> slots{};
    int replies = 0;  ///< that ended there, well or not
    int failed = 0;

    void add(const slot_figures& used);
};

/// What the conversations of a run did.
struct conversation_figures {
    int count = 0;
    int turns = 0;
    int trims = 0;
    int moves = 0;
    int resumed = 0;
};

}  // namespace tandem::command
