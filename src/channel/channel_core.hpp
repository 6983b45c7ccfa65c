#pragma once

#include "channel/chunk_pump.hpp"
#include "channel/chunk_queue.hpp"

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace tandem::detail {

/// The consumers' side of a channel: the queue, its lock, and the waiting consumers. Thread-safe.
/// The functions post to the event loop, and never run its handlers themselves.
class channel_core final : public chunk_sink {
 public:
    explicit channel_core(const channel_options& options);

    /// Waits for the next item until `deadline`, or indefinitely if there is none.
    std::optional<stream_chunk> pop(std::optional<time_point> deadline);
    /// Waits for the reply's result until `deadline`. Returns nullopt if the deadline passes first,
    /// or if there will be no result.
    std::optional<reply_result> result(std::optional<time_point> deadline);
    void cancel() noexcept;
    void set_stream_interval(int n) noexcept {
        stream_interval_.store(n, std::memory_order_relaxed);
    }
    bool is_finished() const noexcept { return finished_.load(std::memory_order_acquire); }
    bool is_cancelled() const noexcept { return cancelled_.load(std::memory_order_acquire); }
    std::optional<channel_end> reason() const;

    /// Claims the channel for one reply; returns channel_in_use or channel_finished if it is not
    /// free.
    error_code claim();
    void release_claim() noexcept;
    /// Precondition: the channel is claimed.
    void connect(std::shared_ptr<chunk_pump> pump);

    std::optional<chunk_id> deliver(chunk c) override;
    void on_end(channel_end why, std::optional<reply_result> result) noexcept override;

 private:
    bool finish(channel_end why) noexcept;
    bool finish_if_context_stopped(chunk_pump* pump) noexcept;
    template <class Ready>
    void wait(std::optional<time_point> deadline, Ready ready);

    mutable std::mutex mutex_;
    std::condition_variable changed_;
    chunk_queue queue_;
    std::shared_ptr<chunk_pump> pump_;  // while a reply runs
    bool is_claimed_ = false;
    bool is_settled_ = false;  // result_ is final; empty if there is no result
    std::optional<reply_result> result_;

    std::atomic<int> stream_interval_;
    std::atomic<bool> finished_{false};
    std::atomic<bool> cancelled_{false};
};

}  // namespace tandem::detail
