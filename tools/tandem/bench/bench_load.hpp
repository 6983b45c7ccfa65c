#pragma once

#include "bench/bench_plan.hpp"
#include "recording/prompt_file.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tandem::command {

/// What the callers of a run say, and when, and how many replies there are.
class bench_load {
 public:
    using clock = std::chrono::steady_clock;

    /// Precondition: there are dialogues.
    bench_load(load_rules rules, std::vector<dialogue> dialogues)
        : plan_(rules), dialogues_(std::move(dialogues)) {}

    /// The run begins; before anything else.
    void start() { started_ = clock::now(); }
    clock::time_point started() const noexcept { return started_; }

    /// See load_plan.
    std::optional<clock::time_point> take() {
        const auto due = plan_.take(clock::now() - started_);
        return due ? std::optional(started_ + *due) : std::nullopt;
    }
    std::int64_t missed(duration now) { return plan_.missed(now); }
    /// One after the other, and again from the first.
    const dialogue& next_dialogue() noexcept {
        return dialogues_[next_dialogue_++ % dialogues_.size()];
    }

    void stream_began() noexcept { peak_streams_ = std::max(peak_streams_, ++streams_); }
    void stream_ended(bool well) noexcept {
        --streams_;
        ++ended_;
        if (!well) ++failed_;
    }

    int streams() const noexcept { return streams_; }
    int peak_streams() const noexcept { return peak_streams_; }
    std::int64_t ended() const noexcept { return ended_; }
    std::int64_t failed() const noexcept { return failed_; }

 private:
    load_plan plan_;
    const std::vector<dialogue> dialogues_;
    std::size_t next_dialogue_ = 0;
    clock::time_point started_{};
    int streams_ = 0;
    int peak_streams_ = 0;
    std::int64_t ended_ = 0;
    std::int64_t failed_ = 0;
};

}  // namespace tandem::command
