#pragma once

#include "base/time.hpp"

#include "tandem/config.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tandem::slots {

/// Names one wish for a slot.
using ticket = std::uint64_t;

/// What request() gives for a wish that it refuses.
inline constexpr ticket no_ticket = 0;

/// Names what uses slots again and again for one text: a reply, or a conversation.
using owner_id = std::uint64_t;
inline constexpr owner_id nobody = 0;

/// Of the text of a prompt, and of what a slot holds, so many bytes are kept and compared.
constexpr std::size_t most_compared_bytes = 1u << 20;

/// So many tickets of priority `turn` wait at most, unless the caller says otherwise.
constexpr std::size_t default_queue_limit = 1024;

/// Who is served first. All but `warming` are live: somebody waits for what they bring.
enum class priority {
    rescue,        ///< a reply that goes on after a failure: the listener hears a pause
    turn,          ///< the first request of a reply: the listener hears nothing yet
    continuation,  ///< a later one: the listener may still be hearing what is there
    warming,       ///< prefills only: never on a slot from which another owner goes on
};

/// What a ticket asks for.
struct wish {
    /// As text: the slot that holds the most of it is best. Empty: no slot is better for it.
    std::string prompt{};
    /// This slot was prefilled for it: taken if it may be, and still holds that.
    std::optional<int> warmed{};
    slots::priority priority = slots::priority::turn;
    /// Within its priority: the lower, the sooner.
    int rank = 0;
    /// Keeps the slot from being prefilled for others, until let_go().
    owner_id owner = nobody;
    /// How many slots the owner may have for itself; 0: it shares them all.
    int lease = 0;
    /// No other slot will do.
    std::optional<int> only{};
    /// Not taken where any other one may be now.
    std::optional<int> avoid{};
};

/// A slot given to a ticket.
struct grant {
    slots::ticket ticket = 0;
    int slot = 0;
    /// The slot is the one that was used last, idle for the whole guard.
    bool reused = false;
    /// How long the guard alone held the ticket back.
    duration guard_wait{};
    /// Whose text the slot may hold: the owner that used it last, if that is another one.
    owner_id previous = nobody;
};

/// When a ticket may be granted a slot, if nothing else happens.
struct due_grant {
    time_point at;
    slots::ticket ticket = no_ticket;
};

/// What the server does on a slot whose request has ended for us.
enum class server_side {
    idle,        ///< nothing, or it stops within a token
    maybe_busy,  ///< it may go on with the prompt: the request was cut before its first token
    unverified,  ///< the same as idle, but that is being looked at: nothing is prefilled until then
    busy,        ///< it was seen to go on long after it should have stopped: the slot is stuck
};

/// How the use of a slot ended.
struct release_note {
    server_side side = server_side::idle;
    /// False: the slot was given back before any request; all that is known of it stays.
    bool has_run = true;
    /// False: the request ended by itself, and was none that counts for the guard (prefilling). The
    /// guard, and which slot was used last, stay as they were.
    bool is_use = true;
    /// Text that the slot holds now, as far as known; empty = unknown.
    std::string holds{};
};

/// Why a ticket waits.
struct wait {
    /// Tickets before it.
    int before = 0;
    /// Slots of the scheduler, and how many of them are stuck at the server.
    int slots = 0;
    int stuck = 0;
    /// Those that are leased to others and not stuck: none of them is for it.
    int leased = 0;
    /// The slots of its own, where it has as many as it may have: only these are for it.
    int own = 0;
    /// The slot whose guard alone holds it back, and what is left of that; nothing if all slots are
    /// busy or will be taken by those before it.
    std::optional<int> guarded_slot{};
    duration guard_left{};
    /// The slot that is being prefilled for it, where that is what it waits for.
    std::optional<int> prefilled_slot{};
};

/// For a log: "waits 500 ms for the reuse guard of slot 1".
std::string in_words(const wait& w);

/// Decides which request gets which slot, and when. Pure: callers pass the time, ask for grants()
/// after each change, and again at next_grant().
///
/// Slots. One request a slot. A slot counts as used when its request ends, however it ends; it is
/// not used again within the guard. Among idle slots these go first, in this order: not stuck at
/// the server (a stuck one is left out as long as there is any other for the ticket, and is never
/// prefilled; nor is one that holds what another owner continues from); idle for the guard; not
/// leased to another owner; not the one to be avoided; not maybe busy at the server, which would
/// hold the request back; prefilled for the ticket; where the request evaluates the least, and
/// overwrites the least that another owner may come back for; used last. While a slot is being
/// prefilled for a ticket, only one that holds the whole prompt is taken instead. Where that leaves
/// several, or each has to wait, it is the one whose guard ends first, which is the next in turn.
///
/// Tickets. They are served by priority and rank, and in their order within each. One that waits
/// for a guard is promised its slot: no ticket after it gets that, but any other slot. One that
/// prefills gets no slot that could be had by a live ticket which waits.
///
/// Leases. An owner that may have slots for itself has a lease of each that it is granted, and of
/// further ones that are idle and promised to nobody, until let_go(). A leased slot is for its
/// owner alone (but see set_sharing()), and an owner that has all its slots gets no other. While
/// one is stuck it may have another instead; what it has too many afterwards goes at its next
/// grant.
class slot_scheduler {
 public:
    /// Precondition: slots > 0.
    slot_scheduler(int slots, duration reuse_guard);

    /// Puts a wish into the queue: after all of its priority. Gives no_ticket, and queues nothing,
    /// where as many of priority `turn` wait as may.
    ticket request(wish w = {});
    /// Takes a wish back; does nothing if it was granted or taken back already.
    void withdraw(ticket t);
    /// Gives a ticket that waits a higher priority. Does nothing where `to` is not higher, and if
    /// the ticket does not wait.
    void raise(ticket t, priority to);
    /// How long the guard alone has held the ticket back so far; 0 if it does not wait.
    duration guard_wait(ticket t, time_point now) const;
    /// Takes an idle slot without a ticket, for other work on it; release() gives it back.
    void occupy(int slot) { at(slot).busy = true; }
    /// The request on `slot` has ended. Precondition: the slot is granted.
    void release(int slot, time_point now, release_note note = {});
    /// The owner's requests are over: its leases end, and what its slots hold may go. As long as
    /// nobody takes them they are known to hold it.
    void let_go(owner_id owner) noexcept;
    /// The owner will never come back: what it left in its slots is worth nothing.
    void retire(owner_id owner) noexcept;
    /// Nothing is known any more of what the slot holds, nor of who used it: it was erased.
    void forget_contents(int slot);
    /// Of the slots that nobody has used since the owner did, the one that it used last.
    std::optional<int> last_slot_of(owner_id owner) const;
    /// Whether nobody has used the slot since the owner did.
    bool was_last_used_by(int slot, owner_id owner) const { return at(slot).last_user == owner; }
    /// The slots that nobody has used since the owner did, or that it is using; none for nobody.
    std::vector<int> slots_used_by(owner_id owner) const;
    /// What the server was seen to do on the slot.
    void set_side(int slot, server_side side);
    /// Nobody looks any more.
    void stop_verifying() noexcept;
    /// Changes the guard, also for slots that have been used and for tickets that wait.
    void set_guard(duration reuse_guard) noexcept { reuse_guard_ = reuse_guard; }
    /// Sets the number of slots to what the server has, but not over that of the constructor, or of
    /// widen_to(). Slots above it are not granted while it holds, and their leases end.
    void limit_to(int slots);
    /// Raises the bound of limit_to(); does nothing where it is as high.
    void widen_to(int slots);
    /// Whether a ticket of priority `turn` or `rescue` whose owner has not all its slots may take
    /// an idle one that is leased to another owner, if no other is ready. The lease goes with the
    /// slot. Off at first.
    void set_sharing(bool is_on) noexcept { sharing_ = is_on; }
    /// So many tickets of priority `turn` may wait; those that do already stay.
    void set_queue_limit(std::size_t turns) noexcept { queue_limit_ = turns; }

    /// The grants that are possible now.
    std::vector<grant> grants(time_point now);
    /// Which waiting tickets the guard lets through, and when, as it looks now.
    std::vector<due_grant> due_grants() const;
    /// When the first of them is; nothing if none waits for a guard.
    std::optional<time_point> next_grant() const;
    /// Why the ticket was not granted; nothing if it does not wait.
    std::optional<wait> why_waiting(ticket t, time_point now) const;

    /// No ticket waits, and no slot is in use.
    bool is_idle() const;
    /// Tickets that wait, those that only prefill left out.
    int requests_waiting() const noexcept;
    int slots() const noexcept { return usable_; }
    bool busy(int slot) const { return at(slot).busy; }
    server_side side(int slot) const { return at(slot).side; }
    /// The owner that has the slot for itself; nobody if it is shared.
    owner_id leased_to(int slot) const { return at(slot).leased_to; }

 private:
    struct slot_state {
        bool busy = false;
        bool is_prefilled_now = false;
        server_side side = server_side::idle;
        /// When its last request ended; nothing if it was not used yet.
        std::optional<time_point> last_used{};
        /// The text that it holds; empty if that is not known.
        std::string holds{};
        /// Who used it last, and continues.
        owner_id owner = nobody;
        owner_id leased_to = nobody;
        /// Who was granted it last, and whose request ran on it last.
        owner_id user = nobody;
        owner_id last_user = nobody;
        bool is_left = false;  // by the last user, for good
    };
    struct waiting {
        slots::ticket ticket;
        slots::wish wish;
        /// Since when only the guard keeps the ticket from a slot, and how long it did before.
        std::optional<time_point> guarded_since{};
        duration guarded{};
    };

    struct prospects;
    class queue_walk;

    /// What a ticket waits for.
    struct outlook {
        /// The slot that it gets, if only that slot's guard holds it back.
        std::optional<int> promised{};
        /// When it may be granted one.
        std::optional<time_point> due{};
    };

    const slot_state& at(int slot) const { return slots_[static_cast<std::size_t>(slot)]; }
    slot_state& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }
    time_point ready_at(int slot) const;
    bool is_stuck(int slot) const { return at(slot).side == server_side::busy; }
    std::size_t cost(int slot, const wish& w, time_point now) const;
    std::size_t turns_waiting() const;

    void insert(waiting w);

    // The queue, in slot_scheduler_queue.cpp.
    std::deque<waiting>::const_iterator find(ticket t) const;
    bool is_warm(int slot, const wish& w) const;
    bool is_prefilled_for(const wish& w) const;
    bool may_prefill(int slot, const wish& w) const;
    bool has_only_stuck(const wish& w, bool has_all) const;
    bool serve_queue(time_point now, std::vector<grant>& given);
    std::optional<int> choose(const prospects& p, const wish& w, time_point now) const;
    grant give(int slot, std::size_t place, time_point now);
    std::vector<outlook> outlooks() const;
    void count_slots(const wish& asked, wait& w) const;
    void note_guards(time_point now);

    // Leases, in slot_scheduler_leases.cpp.
    bool is_anothers(int slot, const wish& w) const;
    int held_by(owner_id owner) const;
    bool has_all(const wish& w) const;
    bool is_for(int slot, const wish& w, bool has_all) const;
    std::vector<int> best_first(const std::vector<int>& slots, const wish& w, time_point now) const;
    bool lease(int slot, const wish& w, const std::vector<int>& idle, time_point now);
    void lease_more(const wish& w, int more, const std::vector<int>& idle, time_point now);
    void lease_fewer(int granted, const wish& w, int fewer, time_point now);

    duration reuse_guard_;
    std::vector<slot_state> slots_;
    int usable_;
    bool sharing_ = false;
    std::size_t queue_limit_ = default_queue_limit;
    std::deque<waiting> queue_;
    slots::ticket last_ticket_ = no_ticket;
    int next_in_turn_ = 0;
    std::optional<int> last_used_slot_;
};

}  // namespace tandem::slots
