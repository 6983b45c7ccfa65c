#pragma once

#include "run/replay_view.hpp"
#include "terminal/terminal.hpp"

namespace tandem::command {

/// The machine-readable view: one JSON object per line, written at once.
class replay_json_view final : public replay_view {
 public:
    /// `tells_servers`: the lines of replies include their servers.
    replay_json_view(terminal& t, bool tells_servers)
        : terminal_(t), tells_servers_(tells_servers) {}

    void on_server_ready(std::string_view, const server_props&) override {}
    void on_reply_started(const start_event&) override {}
    void on_chunk(const chunk_event& e) override;
    void on_reply_ended(const end_event& e) override;
    void on_server_failed(const fault_event& e) override;
    void on_run_finished(const replay_summary& s) override;

 private:
    template <class Event>
    void print(Event e);

    terminal& terminal_;
    bool tells_servers_;
};

}  // namespace tandem::command
