#pragma once

#include "bench/bench_plan.hpp"
#include "recording/prompt_file.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

namespace tandem::command {

/// What the event loops of a run share: the plan, and what to say. Thread-safe.
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
        const std::lock_guard lock(mutex_);
        const auto due = plan_.take(clock::now() - started_);
        return due ? std::optional(started_ + *due) : std::nullopt;
    }
    std::int64_t missed(duration now) {
        const std::lock_guard lock(mutex_);
        return plan_.missed(now);
    }
    /// One after the other, and again from the first.
    const dialogue& next_dialogue() noexcept {
        return dialogues_[next_dialogue_++ % dialogues_.size()];
    }

    void stream_began() noexcept {
        const int now = ++streams_;
        for (int peak = peak_streams_; peak < now;)
            if (peak_streams_.compare_exchange_weak(peak, now)) break;
    }
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
    std::mutex mutex_;
    load_plan plan_;
    const std::vector<dialogue> dialogues_;
    std::atomic<std::size_t> next_dialogue_{0};
    clock::time_point started_{};
    std::atomic<int> streams_{0};
    std::atomic<int> peak_streams_{0};
    std::atomic<std::int64_t> ended_{0};
    std::atomic<std::int64_t> failed_{0};
};

}  // namespace tandem::command
