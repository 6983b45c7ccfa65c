#pragma once

#include "base/time.hpp"

#include "tandem/config.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace tandem::slots {

/// Names one wish for a slot.
using ticket = std::uint64_t;

/// A slot given to a ticket.
struct grant {
    slots::ticket ticket = 0;
    int slot = 0;
    /// The slot is the one that was used last, idle for the whole guard.
    bool reused = false;
    /// How long the guard alone held the ticket back.
    duration guard_wait{};
};

/// Decides which request gets which slot, and when. Pure: callers tell it the time, ask for
/// grants() after each change, and once more at next_grant().
///
/// The rules, from the seed's `_get_next_slot`: the slot used last is taken again if it has been
/// idle for the guard, since it holds the most of the prompt; else the slot whose guard ends
/// first, which is the next in turn. One request a slot. A slot counts as used when its request
/// ends, however it ends. Tickets are served in their order.
class slot_scheduler {
 public:
    /// Precondition: slots > 0.
    slot_scheduler(int slots, duration reuse_guard);

    /// Puts a wish at the end of the queue.
    ticket request();
    /// Takes a wish back; does nothing if it was granted or taken back already.
    void withdraw(ticket t);
    /// The request on `slot` has ended. Precondition: the slot is granted.
    void release(int slot, time_point now);
    /// Lowers the number of slots to what the server has; slots above it are not granted again.
    void limit_to(int slots);

    /// The grants that are possible now, in the tickets' order.
    std::vector<grant> grants(time_point now);
    /// When the guard lets the first waiting ticket through; nothing if no ticket waits, or each
    /// slot is busy.
    std::optional<time_point> next_grant() const;

    int slots() const noexcept { return static_cast<int>(slots_.size()); }
    bool busy(int slot) const { return slots_[static_cast<std::size_t>(slot)].busy; }

 private:
    struct slot_state {
        bool busy = false;
        /// When its last request ended; nothing if it was not used yet.
        std::optional<time_point> last_used;
    };
    struct waiting {
        slots::ticket ticket;
        /// Since when only the guard keeps the ticket from its slot.
        std::optional<time_point> guarded_since;
    };
    struct choice {
        int slot;
        bool reused;
        time_point ready;
    };

    std::optional<choice> choose(time_point now) const;
    time_point ready_at(const slot_state& s) const;
    grant give(const choice& c, time_point now);

    duration reuse_guard_;
    std::vector<slot_state> slots_;
    std::deque<waiting> queue_;
    slots::ticket last_ticket_ = 0;
    int next_in_turn_ = 0;
    std::optional<int> last_used_slot_;
};

}  // namespace tandem::slots
