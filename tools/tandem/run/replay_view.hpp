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
    virtual void on_server_ready(std::string_view url, const server_props& props) = 0;
    /// A user speaks before the next reply starts.
    virtual void on_user_speaks() {}
    virtual void on_reply_started(const start_event& e) = 0;
    virtual void on_chunk(const chunk_event& e) = 0;
    virtual void on_reply_ended(const end_event& e) = 0;
    virtual void on_server_failed(const fault_event& e) = 0;
    virtual void on_run_finished(const replay_summary& s) = 0;
};

}  // namespace tandem::command
