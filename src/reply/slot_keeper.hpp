#pragma once

#include "slots/release_watch.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/error.hpp"
#include "tandem/server.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tandem::detail {

class client_core;

/// Is offered the slot of its ticket. False: it is not wanted any more, and goes back unused.
using slot_taker = std::function<bool(const slots::grant&)>;

/// The slots of one client: the scheduler, its timer, and what is asked of the server about slots:
/// to erase them, and with `verify_cut` whether they are idle after a cut. A part of client_core;
/// all functions but context_ended() run on its strand.
class slot_keeper {
 public:
    /// `core` owns the object.
    slot_keeper(client_core& core, duration reuse_guard);

    /// Queues a wish; give() must follow, once the caller knows its ticket. The taker is called
    /// once at most, and must not keep the client alive. Gives no_ticket if as many wait as may.
    slots::ticket want(slots::wish w, slot_taker taker);
    /// Hands out what can be had now, and sets the timer for the next.
    void give();
    /// The reply has ended: its slots may be prefilled for others.
    void let_go(slots::owner_id owner);
    /// What this owner leaves in a slot is erased before another one uses that, and the other way
    /// round.
    void isolate(slots::owner_id owner) { isolated_[owner] = stay::is_here; }
    /// The slot holds text that its request must not go on from, and that could not be erased.
    bool holds_foreign_text(int slot) const { return foreign_.count(slot) > 0; }
    /// See slot_scheduler.
    void set_sharing(bool is_on) noexcept { scheduler_.set_sharing(is_on); }
    bool was_last_used_by(int slot, slots::owner_id owner) const {
        return scheduler_.was_last_used_by(slot, owner);
    }
    std::optional<int> last_slot_of(slots::owner_id owner) const {
        return scheduler_.last_slot_of(owner);
    }
    /// The owner will never come back. Slots of an isolated one are emptied now.
    void retire(slots::owner_id owner);
    /// Takes a wish back: its taker is not called any more. Gives how long the guard alone had held
    /// it back.
    duration forget(slots::ticket t);
    void raise(slots::ticket t, slots::priority to);
    /// Says in the log why the reply waits, if it does.
    void log_wait(std::uint64_t reply, slots::ticket t) const;
    /// The slot's request has ended. With `erase` the slot goes back once its cache is empty.
    /// `was_cut`: the request did not end by itself; `when_idle` is called on the strand with the
    /// time from the cut until the server was seen to be done with it, if that is watched, and must
    /// not keep the client alive.
    void release(int slot, slots::release_note note, bool erase = false, bool was_cut = false,
                 std::function<void(duration cancel_to_idle)> when_idle = {});

    /// Sets the number of slots to what the server has, but not over that of the configuration, and
    /// the guard that it needs.
    void server_has(int slots, duration reuse_guard);
    /// It may be another one now.
    void set_guard(duration reuse_guard);
    /// Slots that are used.
    int slots() const noexcept { return scheduler_.slots(); }
    /// Requests that wait for a slot, those that only prefill left out.
    int requests_waiting() const noexcept;

    /// The client is being destroyed: nothing is handed out any more.
    void stop();
    /// As client_core::context_ended().
    void context_ended() noexcept;

 private:
    struct waiting {
        slot_taker taker;
        bool is_warming;
        slots::owner_id owner;
    };

    /// Whether an isolated owner has ended; it is known until its last slot is empty.
    enum class stay { is_here, has_left };

    /// A use of a slot that has ended.
    struct ended_use {
        int slot;
        slots::release_note note;
        time_point at;
        bool was_cut = false;
        std::function<void(duration)> when_idle{};
    };

    void offer(const slots::grant& g);
    void hand_over(const slots::grant& g);
    bool must_be_erased(const slots::grant& g) const;
    void tell_not_erased(int slot, const diagnostics& diag);
    void erase_slots_of(slots::owner_id owner);
    void forget_if_gone(slots::owner_id owner);
    void empty_slot(int slot, std::function<void()> then);
    void erased(const ended_use& use, const error_code& ec, const diagnostics& diag);
    void put_back(ended_use use);
    void arm_timer();

    void look();
    void looked(const error_code& ec, const diagnostics& diag,
                const std::vector<slot_state>& states);
    void take_news(const std::vector<slots::release_news>& news);
    void log_news(const slots::release_news& n) const;
    std::optional<time_point> next_look() const;
    void arm_watch();

    client_core& core_;
    slots::slot_scheduler scheduler_;
    std::map<slots::ticket, waiting> waiting_;
    // Empty unless cuts are verified, and once the server cannot tell.
    std::optional<slots::release_watch> watch_;
    std::map<int, std::function<void(duration)>> when_idle_;
    time_point last_use_{};
    // Empty once the execution context is gone.
    std::optional<boost::asio::steady_timer> timer_;
    std::optional<boost::asio::steady_timer> watch_timer_;
    std::map<slots::owner_id, stay> isolated_;
    std::set<int> foreign_;
    bool erase_warned_ = false;
};

}  // namespace tandem::detail
