#pragma once

#include "server/slot_room.hpp"
#include "slots/release_watch.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/error.hpp"
#include "tandem/server.hpp"

#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace tandem::detail {

class client_core;

/// Is offered the slot of its ticket. False: it is not wanted any more, and goes back unused.
using slot_taker = std::function<bool(const slots::grant&)>;

/// The slots of one server, for the requests of one loop: the scheduler, which those of other loops
/// share, a timer, and what is asked of the server about slots: to erase them, and with
/// `verify_cut` whether they are idle after a cut. A slot that another loop's wish gets is posted
/// there. A part of client_core; all functions but context_ended() run on its strand.
class slot_keeper {
 public:
    /// `core` owns the object.
    slot_keeper(client_core& core, shared_slots room);
    ~slot_keeper();
    slot_keeper(const slot_keeper&) = delete;
    slot_keeper& operator=(const slot_keeper&) = delete;

    /// Makes the keeper known to others. Call it before anything else, but after a shared_ptr owns
    /// the client: other threads may post to it at once.
    void join();
    /// Queues a wish; give() must follow, once the caller knows its ticket. The taker is called
    /// once at most, and must not keep the client alive. Gives no_ticket if as many wait as may.
    slots::ticket want(slots::wish w, slot_taker taker);
    /// Hands out what can be had now, and sets the timer for the next.
    void give();
    /// The reply has ended: its slots may be prefilled for others.
    void let_go(slots::owner_id owner);
    /// What this owner leaves in a slot is erased before another one uses that, and the other way
    /// round.
    void isolate(slots::owner_id owner) { room_->lock()->isolated[in_room(owner)] = stay::is_here; }
    /// The slot holds text that its request must not continue from, and that could not be erased.
    bool holds_foreign_text(int slot) const { return room_->lock()->foreign.contains(slot); }
    /// See slot_scheduler.
    bool was_last_used_by(int slot, slots::owner_id owner) const {
        return room_->lock()->scheduler.was_last_used_by(slot, in_room(owner));
    }
    /// The owner is using the slot, or nobody has used it since.
    bool is_with(int slot, slots::owner_id owner) const;
    std::optional<int> last_slot_of(slots::owner_id owner) const {
        return room_->lock()->scheduler.last_slot_of(in_room(owner));
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

    /// What it reported last; nothing if it has to be asked.
    std::optional<server_props> props() const { return room_->lock()->known.props(); }
    bool was_server_met() const { return room_->lock()->known.was_met(); }
    duration reuse_guard() const { return room_->lock()->known.reuse_guard(); }
    // It is learnt with the number of slots and the guard that it needs; it may be another one
    // after a failure. They give lines for the log.
    std::vector<log_line> learn(const server_props& props);
    std::vector<log_line> ran_on_another_slot(int asked, int used);
    void request_failed(const error_code& ec);
    /// Slots that are used.
    int slots() const { return room_->lock()->scheduler.slots(); }

    /// The client is being destroyed: nothing is handed out any more.
    void stop();
    /// What it had is for the others, which do not know it any more.
    void leave() noexcept;
    /// As client_core::context_ended().
    void context_ended() noexcept;

 private:
    /// As the owner is called in the room, where other clients have owners of the same number.
    slots::owner_id in_room(slots::owner_id owner) const;

    struct waiting {
        slot_taker taker;
        bool is_warming;
    };

    struct granted {
        slots::grant grant;
        bool must_be_erased;
    };

    /// A use of a slot that has ended.
    struct ended_use {
        int slot;
        slots::release_note note;
        time_point at;
        bool was_cut = false;
        std::function<void(duration)> when_idle{};
    };

    std::vector<granted> take_grants();
    void offer(const granted& given);
    void tell_of_wait(const slots::grant& g, bool is_warming);
    void hand_over(const slots::grant& g);
    void give_back(int slot);
    void tell_not_erased(int slot, const diagnostics& diag);
    void erase_slots_of(slots::owner_id owner);
    std::vector<int> occupy_slots_of(slots::owner_id owner);
    void empty_slot(int slot, std::function<void()> then);
    void erased(const ended_use& use, const error_code& ec, const diagnostics& diag);
    void put_back(ended_use use);
    duration withdraw(slots::ticket t);
    void arm_timer();
    std::optional<time_point> set_alarms();
    void post(std::function<void(slot_keeper&)> f);

    void look();
    bool begin_look();
    void looked(const error_code& ec, const diagnostics& diag,
                const std::vector<slot_state>& states);
    std::vector<slots::release_news> take_answer(const error_code& ec,
                                                 const std::vector<slot_state>& states);
    void look_for_strangers(const std::vector<slot_state>& states);
    static void tell_idle(slot_room& room, const slots::release_news& n);
    void log_news(const slots::release_news& n) const;
    static void wake_those_who_wait(const slot_room& room);
    std::optional<time_point> next_look() const;
    void arm_watch();

    client_core& core_;
    shared_slots room_;
    std::map<slots::ticket, waiting> waiting_;
    // Empty once the execution context is gone.
    std::optional<boost::asio::steady_timer> timer_;
    std::optional<boost::asio::steady_timer> watch_timer_;
};

}  // namespace tandem::detail
