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

/// Collects the data of a run for its report.
class report_view final : public replay_view {
 public:
    static constexpr std::size_t max_faults = 100;

    /// `settings`: names and values, as report_run::settings. `is_playback`: whether a recording
    /// stands in for the servers.
    explicit report_view(std::vector<std::pair<std::string, std::string>> settings = {},
                         bool is_playback = false)
        : is_playback_(is_playback) {
        run_.settings = std::move(settings);
    }

    void on_server_ready(std::string_view url, const server_props& props) override;
    void on_reply_started(const start_event& e) override;
    void on_chunk(const chunk_event& e) override;
    void on_reply_ended(const end_event& e) override;
    void on_server_failed(const fault_event& e) override;
    void on_run_finished(const replay_summary& s) override;

    /// Complete after on_run_finished().
    const report_run& run() const noexcept { return run_; }

 private:
    using clock = std::chrono::steady_clock;
    using name = std::pair<std::string, int>;

    report_reply take_running_reply(const reply_name& where);
    void keep(report_reply r);

    report_run run_;
    bool is_playback_;
    /// Running replies; concurrency limits their number.
    std::map<name, report_reply> running_;
    std::size_t bytes_ = 0;
    clock::time_point began_ = clock::now();
};

}  // namespace tandem::command
