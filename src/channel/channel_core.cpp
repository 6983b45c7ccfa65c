#include "channel/channel_core.hpp"

#include "loop/clock.hpp"

#include <algorithm>
#include <utility>

namespace tandem::detail {
namespace {

// How often a waiting consumer checks whether a thread still runs the loop.
constexpr auto loop_check_interval = std::chrono::milliseconds(80);

}  // namespace

channel_core::channel_core(const channel_options& options)
    : queue_(options), stream_interval_(options.stream_interval) {}

// --- consumers

std::optional<stream_chunk> channel_core::pop(std::optional<time_point> deadline) {
    for (bool asks = true;; asks = false) {
        std::unique_lock lock(mutex_);
        if (asks) queue_.on_item_requested();
        auto item = queue_.take_item();
        const bool is_over = item || queue_.is_drained();
        const auto spoken = queue_.take_chunk_to_continue();
        const auto pump = pump_;
        lock.unlock();
        if (pump && spoken) pump->continue_after(*spoken);
        if (is_over) return item;
        if (finish_if_context_stopped(pump.get())) continue;
        if (deadline && now() >= *deadline) return std::nullopt;
        wait(deadline, [this] { return queue_.has_item_or_end(); });
    }
}

std::optional<reply_result> channel_core::result(std::optional<time_point> deadline) {
    for (;;) {
        std::unique_lock lock(mutex_);
        if (is_settled_) return result_;
        const auto pump = pump_;
        lock.unlock();
        finish_if_context_stopped(pump.get());
        if (pump && pump->is_context_stopped()) return std::nullopt;
        if (deadline && now() >= *deadline) return std::nullopt;
        wait(deadline, [this] { return is_settled_; });
    }
}

// Waits until the predicate holds or the deadline passes, but only for `loop_check_interval`: the
// caller then checks whether a thread still runs the loop.
template <class Ready>
void channel_core::wait(std::optional<time_point> deadline, Ready ready) {
    const time_point look = now() + loop_check_interval;
    std::unique_lock lock(mutex_);
    changed_.wait_until(lock, deadline ? std::min(*deadline, look) : look, ready);
}

bool channel_core::finish_if_context_stopped(chunk_pump* pump) noexcept try {
    if (!pump || is_finished() || !pump->is_context_stopped()) return false;
    std::unique_lock lock(mutex_);
    if (!finish({.error = errc::context_stopped,
                 .diagnostics = {.client_message = "the io_context of the reply was stopped, or "
                                                   "ran out of work before the reply started"}}))
        return false;
    lock.unlock();
    // The interrupt takes effect if the context is restarted.
    pump->interrupt();
    return true;
} catch (...) {
    return false;
}

void channel_core::cancel() noexcept try {
    std::unique_lock lock(mutex_);
    if (!finish({.finish_reason = finish_reason::interrupted})) return;
    cancelled_.store(true, std::memory_order_release);
    if (!is_claimed_) is_settled_ = true;
    const auto pump = pump_;
    lock.unlock();
    if (pump) pump->interrupt();
} catch (...) {  // out of memory: the reply waits and ends with its continue_timeout
}

std::optional<channel_end> channel_core::reason() const {
    const std::lock_guard lock(mutex_);
    return queue_.end_reason();
}

// Precondition: the lock is held.
bool channel_core::finish(channel_end why) noexcept {
    bool is_first = true;
    try {
        is_first = queue_.end(std::move(why));
    } catch (...) {  // out of memory: the end is recorded, but the partial item is lost
    }
    finished_.store(true, std::memory_order_release);
    changed_.notify_all();
    return is_first;
}

// --- the reply

error_code channel_core::claim() {
    const std::lock_guard lock(mutex_);
    if (queue_.end_reason()) return errc::channel_finished;
    if (std::exchange(is_claimed_, true)) return errc::channel_in_use;
    return {};
}

void channel_core::release_claim() noexcept {
    const std::lock_guard lock(mutex_);
    is_claimed_ = false;
    if (queue_.end_reason()) is_settled_ = true;
    changed_.notify_all();
}

void channel_core::connect(std::shared_ptr<chunk_pump> pump) {
    std::unique_lock lock(mutex_);
    pump_ = pump;
    const bool was_cancelled = queue_.end_reason().has_value();
    changed_.notify_all();
    lock.unlock();
    if (was_cancelled)
        pump->interrupt();
    else
        pump->start();
}

std::optional<chunk_id> channel_core::deliver(chunk c) {
    const std::lock_guard lock(mutex_);
    queue_.add_chunk(now(), std::move(c), stream_interval_.load(std::memory_order_relaxed));
    const auto spoken = queue_.take_chunk_to_continue();
    if (queue_.has_item_or_end()) changed_.notify_all();
    return spoken;
}

void channel_core::on_end(channel_end why, std::optional<reply_result> result) noexcept {
    std::shared_ptr<chunk_pump> done;  // outlives the lock
    const std::lock_guard lock(mutex_);
    // If the channel ended before the reply, for example because the loop had stopped, the consumer
    // must still get its items: finish() could drop them.
    if (!queue_.end_reason()) finish(std::move(why));
    if (std::exchange(is_settled_, true)) return;
    result_ = std::move(result);
    done = std::move(pump_);
    changed_.notify_all();
}

}  // namespace tandem::detail
