#pragma once

#include "bench/arrival_schedule.hpp"
#include "recording/dialogue.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tandem::command {

/// The workload of a run: the dialogues, the start time of each turn, and counts of replies.
class bench_workload {
 public:
    using clock = std::chrono::steady_clock;

    /// Precondition: `dialogues` is not empty.
    bench_workload(load_profile rules, std::vector<dialogue> dialogues)
        : plan_(rules), dialogues_(std::move(dialogues)) {}

    /// Starts the clock of the run. Must be called first.
    void start() { started_ = clock::now(); }
    clock::time_point started() const noexcept { return started_; }

    /// Returns the next start time of the plan; see arrival_schedule::take_next_start().
    std::optional<clock::time_point> take_next_start() {
        const auto due = plan_.take_next_start(clock::now() - started_);
        return due ? std::optional(started_ + *due) : std::nullopt;
    }
    std::int64_t count_missed(duration now) { return plan_.count_missed(now); }
    /// Cycles through the dialogues in order.
    const dialogue& next_dialogue() noexcept {
        return dialogues_[next_dialogue_++ % dialogues_.size()];
    }

    void on_stream_started() noexcept { peak_streams_ = std::max(peak_streams_, ++streams_); }
    void on_stream_ended(bool has_succeeded) noexcept {
        --streams_;
        ++ended_;
        if (!has_succeeded) ++failed_;
    }

    int streams() const noexcept { return streams_; }
    int peak_streams() const noexcept { return peak_streams_; }
    std::int64_t ended() const noexcept { return ended_; }
    std::int64_t failed() const noexcept { return failed_; }

 private:
    arrival_schedule plan_;
    const std::vector<dialogue> dialogues_;
    std::size_t next_dialogue_ = 0;
    clock::time_point started_{};
    int streams_ = 0;
    int peak_streams_ = 0;
    std::int64_t ended_ = 0;
    std::int64_t failed_ = 0;
};

}  // namespace tandem::command
