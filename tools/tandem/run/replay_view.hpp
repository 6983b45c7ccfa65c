#pragma once

#include "run/replay_events.hpp"
#include "run/replay_totals.hpp"

#include "tandem/server.hpp"

#include <string_view>
#include <utility>
#include <vector>

namespace tandem::command {

/// Receives the events of a run. By default, each function does nothing.
class replay_view {
 public:
    virtual ~replay_view() = default;

    /// Called once for each server that answers, before all other events.
    virtual void on_server_ready(std::string_view /*url*/, const server_props&) {}
    /// A user speaks before the next reply starts.
    virtual void on_user_speaks() {}
    virtual void on_reply_started(const start_event&) {}
    virtual void on_chunk(const chunk_event&) {}
    virtual void on_reply_ended(const end_event&) {}
    virtual void on_server_failed(const fault_event&) {}
    virtual void on_run_finished(const replay_summary&) {}
};

/// Forwards events to several views, which must outlive this object.
class tee_view final : public replay_view {
 public:
    explicit tee_view(std::vector<replay_view*> views) : views_(std::move(views)) {}
    void add(replay_view& view) { views_.push_back(&view); }

    void on_server_ready(std::string_view url, const server_props& props) override {
        forward(&replay_view::on_server_ready, url, props);
    }
    void on_user_speaks() override { forward(&replay_view::on_user_speaks); }
    void on_reply_started(const start_event& e) override {
        forward(&replay_view::on_reply_started, e);
    }
    void on_chunk(const chunk_event& e) override { forward(&replay_view::on_chunk, e); }
    void on_reply_ended(const end_event& e) override { forward(&replay_view::on_reply_ended, e); }
    void on_server_failed(const fault_event& e) override {
        forward(&replay_view::on_server_failed, e);
    }
    void on_run_finished(const replay_summary& s) override {
        forward(&replay_view::on_run_finished, s);
    }

 private:
    template <class... Args>
    void forward(auto how, const Args&... args) {
        for (auto* view : views_) (view->*how)(args...);
    }

    std::vector<replay_view*> views_;
};

}  // namespace tandem::command
