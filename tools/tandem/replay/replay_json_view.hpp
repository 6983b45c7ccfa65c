#pragma once

#include "replay/replay_json.hpp"
#include "run/replay_view.hpp"
#include "terminal/terminal.hpp"

namespace tandem::command {

/// The machine-readable view: one JSON object per line, written immediately.
class replay_json_view final : public replay_view {
 public:
    /// `shows_servers`: the lines of replies include their servers.
    replay_json_view(terminal& t, bool shows_servers)
        : terminal_(t), shows_servers_(shows_servers) {}

    void on_chunk(const chunk_event& e) override { print(e); }
    void on_reply_ended(const end_event& e) override { print(e); }
    void on_server_failed(const fault_event& e) override { print(e); }
    void on_run_finished(const replay_summary& s) override { terminal_.print(json_line(s)); }

 private:
    template <class Event>
    void print(Event e) {
        if (!shows_servers_) e.server = {};
        terminal_.print(json_line(e));
    }

    terminal& terminal_;
    bool shows_servers_;
};

}  // namespace tandem::command
