#pragma once

#include "base/time.hpp"

#include "tandem/config.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
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

/// What the server does on a slot whose request has ended for us.
enum class server_side {
    idle,        ///< nothing, or it stops within a token
    maybe_busy,  ///< it may go on with the prompt: the request was cut before its first token
};

/// Why a ticket waits.
struct wait {
    /// Tickets before it.
    int before = 0;
    /// Slots of the scheduler.
    int slots = 0;
    /// The slot whose guard alone holds it back, and what is left of that; nothing if all slots are
    /// busy or will be taken by those before it.
    std::optional<int> guarded_slot{};
    duration guard_left{};
};

/// For a log: "waits 500 ms for the reuse guard of slot 1".
std::string in_words(const wait& w);

/// Decides which request gets which slot, and when. Pure: callers tell it the time, ask for
/// grants() after each change, and once more at next_grant().
///
/// The rules, from the seed's `_get_next_slot`: the slot used last is taken again if it has been
/// idle for the guard, since it holds the most of the prompt; else the slot whose guard ends
/// first, which is the next in turn. One request a slot. A slot counts as used when its request
/// ends, however it ends. Tickets are served in their order. A slot that may be busy at the server
/// is left for last: the server would hold the next request back until it is done.
class slot_scheduler {
 public:
    /// Precondition: slots > 0.
    slot_scheduler(int slots, duration reuse_guard);

    /// Puts a wish at the end of the queue.
    ticket request();
    /// Takes a wish back; does nothing if it was granted or taken back already.
    void withdraw(ticket t);
    /// The request on `slot` has ended. Precondition: the slot is granted.
    void release(int slot, time_point now, server_side side = server_side::idle);
    /// Sets the number of slots to what the server has, but not over that of the constructor. Slots
    /// above it are not granted while it holds.
    void limit_to(int slots);

    /// The grants that are possible now, in the tickets' order.
    std::vector<grant> grants(time_point now);
    /// When the guard lets the first waiting ticket through; nothing if no ticket waits, or each
    /// slot is busy.
    std::optional<time_point> next_grant() const;
    /// Why the ticket was not granted; nothing if it does not wait.
    std::optional<wait> why_waiting(ticket t, time_point now) const;

    int slots() const noexcept { return usable_; }
    bool busy(int slot) const { return slots_[static_cast<std::size_t>(slot)].busy; }

 private:
    struct slot_state {
        bool busy = false;
        server_side side = server_side::idle;
        /// When its last request ended; nothing if it was not used yet.
        std::optional<time_point> last_used;
    };
    struct waiting {
        slots::ticket ticket;
        /// Since when only the guard keeps the ticket from a slot, and how long it did before.
        std::optional<time_point> guarded_since;
        duration guarded{};
    };

    const slot_state& at(int slot) const { return slots_[static_cast<std::size_t>(slot)]; }
    time_point ready_at(int slot) const;
    std::vector<int> idle_slots() const;
    std::optional<int> choose(time_point now) const;
    grant give(int slot, time_point now);
    void note_guards(time_point now);

    duration reuse_guard_;
    std::vector<slot_state> slots_;
    int usable_;
    std::deque<waiting> queue_;
    slots::ticket last_ticket_ = 0;
    int next_in_turn_ = 0;
    std::optional<int> last_used_slot_;
};

}  // namespace tandem::slots
