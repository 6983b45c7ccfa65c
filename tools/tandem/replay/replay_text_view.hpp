#pragma once

#include "replay/guard_forecast.hpp"
#include "run/replay_text.hpp"
#include "run/replay_view.hpp"
#include "terminal/terminal.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace tandem::command {

/// The human-readable view: a live timeline.
class replay_text_view final : public replay_view {
 public:
    /// Ignores `style.width` and uses the width of the terminal.
    replay_text_view(terminal& t, text_style style, int slots_wanted,
                     std::optional<duration> reuse_guard);

    /// Shows the source of the playback. Must be called first.
    void show_source(std::string_view source);
    void on_server_ready(std::string_view url, const server_props& props) override;
    void on_user_speaks() override;
    void on_reply_started(const start_event& e) override;
    void on_chunk(const chunk_event& e) override;
    void on_reply_ended(const end_event& e) override;
    void on_server_failed(const fault_event& e) override;
    void on_run_finished(const replay_summary& s) override;

    /// Returns the current activity of a run with one reply at a time: "   1.2s  speaking".
    std::string describe_activity() const;

 private:
    using clock = std::chrono::steady_clock;
    text_style style() const;

    terminal& terminal_;
    text_style style_;
    int slots_wanted_;
    guard_forecast guard_;
    int servers_ = 0;
    bool heads_shown_ = false;
    bool running_ = false;
    bool user_speaks_ = false;
    /// Start of the current reply, or of the wait for the next one.
    clock::time_point started_ = clock::now();
    clock::time_point spoken_{};
};

}  // namespace tandem::command
