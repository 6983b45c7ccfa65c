#pragma once

#include "replay/replay_json.hpp"
#include "run/replay_view.hpp"
#include "terminal/terminal.hpp"

namespace tandem::command {

/// The machine-readable view: one JSON object per line, written at once.
class replay_json_view final : public replay_view {
 public:
    /// `tells_servers`: the lines of replies include their servers.
    replay_json_view(terminal& t, bool tells_servers)
        : terminal_(t), tells_servers_(tells_servers) {}

    void on_chunk(const chunk_event& e) override { print(e); }
    void on_reply_ended(const end_event& e) override { print(e); }
    void on_server_failed(const fault_event& e) override { print(e); }
    void on_run_finished(const replay_summary& s) override { terminal_.print(json_line(s)); }

 private:
    template <class Event>
    void print(Event e) {
        if (!tells_servers_) e.server = {};
        terminal_.print(json_line(e));
    }

    terminal& terminal_;
    bool tells_servers_;
};

}  // namespace tandem::command
