#pragma once

#include "run/replay_events.hpp"
#include "run/replay_totals.hpp"

#include "tandem/server.hpp"

#include <string_view>

namespace tandem::command {

/// Receives the events of a run.
class replay_view {
 public:
    virtual ~replay_view() = default;

    /// Called once for each server that answers, before all other events.
    virtual void server_ready(std::string_view url, const server_props& props) = 0;
    virtual void started(const start_event& e) = 0;
    virtual void chunk_came(const chunk_event& e) = 0;
    virtual void ended(const end_event& e) = 0;
    virtual void failed(const fault_event& e) = 0;
    virtual void finished(const replay_summary& s) = 0;
};

}  // namespace tandem::command
