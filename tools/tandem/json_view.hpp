#pragma once

#include "replay_view.hpp"
#include "terminal.hpp"

namespace tandem::command {

/// For programs: one JSON object a line, written at once.
class json_view final : public replay_view {
 public:
    explicit json_view(terminal& t) : terminal_(t) {}

    void server_ready(const server_props&) override {}
    void started(const start_event&) override {}
    void chunk_came(const chunk_event& e) override;
    void ended(const end_event& e) override;
    void failed(const fault_event& e) override;
    void finished(const replay_summary& s) override;

 private:
    terminal& terminal_;
};

}  // namespace tandem::command
