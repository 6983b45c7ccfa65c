#pragma once

#include "base/time.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/server.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace tandem::slots {

/// A slot still busy this long after a cut is stuck. In mid-stream, a cut takes effect within a
/// token, or after the current batch of another slot's prompt. Before the first token, the server
/// checks the connection only once a second, and finishes the current batch (2048 tokens, seconds
/// on a slow machine).
constexpr duration stuck_after_cut = std::chrono::seconds(2);
constexpr duration stuck_after_early_cut = std::chrono::seconds(10);
/// How long to watch slots that no reply uses. The limit allows an event loop to run out of work;
/// the next reply resumes the watch.
constexpr duration watch_after_use = std::chrono::seconds(10);
/// Maximum number of consecutive failed polls.
constexpr int max_failed_polls = 5;

/// The state of a slot found after a cut.
struct release_report {
    int slot;
    /// `idle`: the slot is released. `busy`: the slot is stuck; this is reported once.
    /// `maybe_busy`: the slot was stuck, and its state is unknown.
    server_slot_state side;
    duration since_cut;
    /// Whether the slot had been reported as stuck.
    bool was_stuck;
};

/// Decides when to poll /slots for the slots of cut requests, and interprets the answers. Pure:
/// callers report cuts, grants and answers, with the time.
///
/// One poll covers all slots, and only one runs at a time. After a cut in mid-stream, polls follow
/// after 20 ms, 100 ms and 500 ms, then every 2 s. A cut before the first token takes effect later:
/// the server checks once a second whether the client has disconnected, and every answer that it
/// sends to any client, including answers to /slots, restarts that second. While the request of
/// such a cut may still run, no poll starts within 1.2 s of the cut or within 2 s of the previous
/// poll.
class slot_release_monitor {
 public:
    /// Records that the request on `slot` was cut; `side` is the assumed state of the slot on the
    /// server. Returns the state to use until the first poll.
    server_slot_state record_cut(int slot, time_point now, server_slot_state side);
    /// Stops watching the slot, because it was granted to its next request.
    void on_granted(int slot, time_point now);

    /// When to poll /slots next. nullopt if no slot is watched, a poll is running, or the poll
    /// would come more than `watch_after_use` after `unused_since`, the time since which no reply
    /// has used or requested a slot.
    std::optional<time_point> next_poll_at(std::optional<time_point> unused_since = {}) const;
    void on_poll_started(time_point now);
    /// Start of the running poll.
    std::optional<time_point> poll_started_at() const noexcept { return look_since_; }
    bool is_watching() const noexcept { return !watched_.empty(); }
    /// Handles the answer of /slots.
    std::vector<release_report> record_poll_result(const std::vector<tandem::slot_state>& slots,
                                                   time_point now);
    /// A poll failed. The next one follows as scheduled; after too many failures, watching ends.
    std::vector<release_report> record_poll_failure(time_point now);
    /// Stops watching all slots. Returns those that were stuck.
    std::vector<release_report> give_up(time_point now);

 private:
    struct watched {
        time_point cut;
        /// Whether the cut request may still be in prefill, where the server is slow to detect that
        /// its client is gone.
        bool is_early;
        time_point due;
        bool is_stuck = false;
        /// Set once the slot has its next request. Polls remain rare until this time, because the
        /// cut request may still be running.
        std::optional<time_point> care_until{};
    };

    static void schedule_poll(watched& w, time_point now);
    static bool needs_sparse_polling(const watched& w, time_point at);
    static std::optional<release_report> interpret_state(int slot, watched& w, bool is_processing,
                                                         time_point now);

    std::map<int, watched> watched_;
    std::optional<time_point> look_since_;
    std::optional<time_point> last_look_;
    int failures_ = 0;
};

}  // namespace tandem::slots
