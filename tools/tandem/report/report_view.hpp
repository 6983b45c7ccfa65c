#pragma once

#include "report/report_data.hpp"
#include "run/replay_view.hpp"

#include <chrono>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tandem::command {

/// Keeps what a run tells, for its report.
class report_view final : public replay_view {
 public:
    static constexpr std::size_t max_faults = 100;

    /// `settings`: what is to be run. `is_played`: from a recording, whose servers are gone.
    explicit report_view(std::vector<std::pair<std::string, std::string>> settings = {},
                         bool is_played = false)
        : is_played_(is_played) {
        run_.settings = std::move(settings);
    }

    void server_ready(std::string_view url, const server_props& props) override;
    void started(const start_event& e) override;
    void chunk_came(const chunk_event& e) override;
    void ended(const end_event& e) override;
    void failed(const fault_event& e) override;
    void finished(const replay_summary& s) override;

    /// Complete when the run has finished.
    const report_run& run() const noexcept { return run_; }

 private:
    using clock = std::chrono::steady_clock;
    using name = std::pair<std::string, int>;

    report_reply taken(const turn_name& where);
    void keep(report_reply r);

    report_run run_;
    bool is_played_;
    /// Replies that run, whose number is bounded by the concurrency.
    std::map<name, report_reply> running_;
    std::size_t bytes_ = 0;
    clock::time_point began_ = clock::now();
};

/// Tells two views the same.
class both_views final : public replay_view {
 public:
    /// Both must outlive it.
    both_views(replay_view& first, replay_view& second) : first_(first), second_(second) {}

    void server_ready(std::string_view url, const server_props& props) override {
        first_.server_ready(url, props);
        second_.server_ready(url, props);
    }
    void started(const start_event& e) override { tell(&replay_view::started, e); }
    void chunk_came(const chunk_event& e) override { tell(&replay_view::chunk_came, e); }
    void ended(const end_event& e) override { tell(&replay_view::ended, e); }
    void failed(const fault_event& e) override { tell(&replay_view::failed, e); }
    void finished(const replay_summary& s) override { tell(&replay_view::finished, s); }

 private:
    template <class Event>
    void tell(void (replay_view::*how)(const Event&), const Event& e) {
        (first_.*how)(e);
        (second_.*how)(e);
    }

    replay_view& first_;
    replay_view& second_;
};

}  // namespace tandem::command
