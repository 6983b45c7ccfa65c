#pragma once

#include "base/time.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/server.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <vector>

namespace tandem::slots {

/// A slot that is busy so long after its request was cut is stuck. In mid-stream a cut takes effect
/// within a token, or with the batch of another slot's prompt; before the first token the server
/// looks once a second, and works a batch off (2048 tokens, seconds on a slow machine).
constexpr duration stuck_after_cut = std::chrono::seconds(2);
constexpr duration stuck_after_early_cut = std::chrono::seconds(10);
/// So long slots are watched that no reply uses: it must not keep an event loop from ending. The
/// next reply continues with it.
constexpr duration watch_after_use = std::chrono::seconds(10);
/// Looks that may fail in a row.
constexpr int most_failed_looks = 5;

/// What was found out about a slot after a cut.
struct release_news {
    int slot;
    /// `idle`: its release is over. `busy`: it is stuck; reported once. `maybe_busy`: it was stuck,
    /// and nobody knows any more.
    server_side side;
    duration since_cut;
    /// It was reported as stuck before.
    bool was_stuck;
};

/// Decides when to ask /slots whether the slots of requests that were cut are idle, and what the
/// answers mean. Pure: callers report cuts, grants and answers, with the time.
///
/// One look is for all slots, and one at a time. After a cut in mid-stream: 20 ms, 100 ms and 500
/// ms later, then every 2 s. A cut before the first token is slower: the server looks once a second
/// whether the client has gone, and every answer that it gives to anybody, /slots included, starts
/// that second anew. So while such a request may still be there, there is no look within 1.2 s of
/// the cut, nor within 2 s of the look before.
class release_watch {
 public:
    /// The request on `slot` was cut, after which the server side is as given. Returns what it is
    /// until it was looked at.
    server_side cut(int slot, time_point now, server_side side);
    /// The slot has its next request: it is not watched any more.
    void granted(int slot, time_point now);

    /// When to ask /slots next; nothing if no slot is watched, or a look is under way, or it would
    /// come later than `watch_after_use` after a time since which no reply has or wants a slot.
    std::optional<time_point> next_look(std::optional<time_point> unused_since = {}) const;
    void look_begun(time_point now);
    /// When the look began that is under way.
    std::optional<time_point> look_since() const noexcept { return look_since_; }
    bool is_watching() const noexcept { return !watched_.empty(); }
    /// What /slots answered.
    std::vector<release_news> answered(const std::vector<tandem::slot_state>& slots,
                                       time_point now);
    /// /slots could not be asked. The next look comes at its time; but after too many failures
    /// nothing is watched any more.
    std::vector<release_news> failed(time_point now);
    /// Nothing is watched any more. Tells the slots that were stuck.
    std::vector<release_news> give_up(time_point now);

 private:
    struct watched {
        time_point cut;
        /// Its request may be in prefill, and the server about to see that its client has gone.
        bool is_early;
        time_point due;
        bool is_stuck = false;
        /// Set where the slot has its next request, and only care is taken until then.
        std::optional<time_point> care_until{};
    };

    static void plan(watched& w, time_point now);
    static bool needs_care(const watched& w, time_point at);
    static std::optional<release_news> judge(int slot, watched& w, bool is_processing,
                                             time_point now);

    std::map<int, watched> watched_;
    std::optional<time_point> look_since_;
    std::optional<time_point> last_look_;
    int failures_ = 0;
};

}  // namespace tandem::slots
