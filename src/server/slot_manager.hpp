#pragma once

#include "server/slot_table.hpp"
#include "slots/slot_release_monitor.hpp"
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

class server_link;

/// Receives the slot granted to its ticket. Returns false if the receiver does not want the slot;
/// the slot is then returned unused.
using grant_handler = std::function<bool(const slots::grant&)>;

/// The slots of one server, for the requests of one loop: the scheduler, which is shared with other
/// loops, a timer, and the server calls that concern slots. These calls erase slots and, with
/// `verify_cut`, poll whether slots are idle after a cut. A grant for another loop is posted to
/// that loop. Part of server_link; all functions except on_context_destroyed() run on its strand.
class slot_manager {
 public:
    /// `link` owns this object.
    slot_manager(server_link& link, shared_slot_table table);
    ~slot_manager();
    slot_manager(const slot_manager&) = delete;
    slot_manager& operator=(const slot_manager&) = delete;

    /// Registers the manager with the table. Call this before any other function, but only once a
    /// shared_ptr owns the client: other threads may post to the manager immediately.
    void register_self();
    /// Queues a request; call dispatch_grants() afterwards, once the caller knows its ticket. The
    /// handler is called at most once, and must not keep the client alive. Returns no_ticket if the
    /// queue is full.
    slots::ticket enqueue(slots::slot_request w, grant_handler handler);
    /// Grants the slots that are available, and arms the timer for the next grant.
    void dispatch_grants();
    /// Call it when the owner's reply has ended: its slots may then be prefilled for others.
    void release_owner(slots::owner_id owner);
    /// From now on, a slot is erased when it passes between this owner and another one.
    void isolate_owner(slots::owner_id owner) {
        table_->lock()->isolated[to_shared_owner_id(owner)] = owner_presence::is_here;
    }
    /// Whether erasing the slot failed, so that its request must not reuse the slot's text.
    bool holds_foreign_text(int slot) const { return table_->lock()->foreign.contains(slot); }
    /// See slot_scheduler.
    bool was_last_used_by(int slot, slots::owner_id owner) const {
        return table_->lock()->scheduler.was_last_used_by(slot, to_shared_owner_id(owner));
    }
    /// Whether the owner is using the slot, or was the last owner to use it.
    bool still_belongs_to(int slot, slots::owner_id owner) const;
    std::optional<int> last_slot_used_by(slots::owner_id owner) const {
        return table_->lock()->scheduler.last_slot_used_by(to_shared_owner_id(owner));
    }
    /// Call it when the owner will not return. Erases the slots of an isolated owner immediately.
    void retire_owner(slots::owner_id owner);
    /// Withdraws a request; its handler is not called afterwards. Returns how long the guard alone
    /// had delayed the request.
    duration cancel_request(slots::ticket t);
    void set_due(slots::ticket t, time_point due);
    void record_progress(int slot, const slots::generated_so_far& g);
    bool should_yield_slot(int slot, time_point due) const;
    /// Logs why the reply waits, if it does.
    void log_wait(std::uint64_t reply, slots::ticket t) const;
    /// Returns a slot whose request has ended; with `erase`, only after erasing its cache.
    /// `was_cut`: the request did not end by itself. If cuts are verified, `when_idle` is called on
    /// the strand with the time from the cut until a poll found the server done with the request;
    /// `when_idle` must not keep the client alive.
    void release(int slot, slots::release_info note, bool erase = false, bool was_cut = false,
                 std::function<void(duration cancel_to_idle)> when_idle = {});

    /// See slot_scheduler.
    bool has_slot_to_spare() const { return table_->lock()->scheduler.has_slot_to_spare(); }
    /// The properties last reported by the server; nullopt if they must be requested.
    std::optional<server_props> props() const { return table_->lock()->known.props(); }
    bool were_props_read_before() const { return table_->lock()->known.was_read_before(); }
    duration reuse_guard() const { return table_->lock()->known.reuse_guard(); }
    // Observations that may change the number of slots and the guard; after a failure, another
    // server may have the address. The returned lines are for the log.
    std::vector<log_line> store_props(const server_props& props);
    std::vector<log_line> report_slot_mismatch(int asked, int used);
    void on_request_failed(const error_code& ec);
    /// Number of usable slots.
    int slots() const { return table_->lock()->scheduler.slots(); }

    /// The client is being destroyed: no more slots are granted.
    void stop();
    /// Leaves the table; this manager's slots become available to others.
    void unregister_self() noexcept;
    /// See server_link::on_context_destroyed().
    void on_context_destroyed() noexcept;

 private:
    /// Makes the owner's id unique in the table, where other clients may have owners with the same
    /// number.
    slots::owner_id to_shared_owner_id(slots::owner_id owner) const;

    struct queued_request {
        grant_handler handler;
        bool is_warming;
    };

    struct granted {
        slots::grant grant;
        bool must_be_erased;
    };

    struct ended_use {
        int slot;
        slots::release_info note;
        time_point at;
        bool was_cut = false;
        std::function<void(duration)> when_idle{};
    };

    std::vector<granted> take_grants();
    void erase_and_deliver(const granted& given);
    void log_guard_wait(const slots::grant& g, bool is_warming);
    void deliver_grant(const slots::grant& g);
    void return_unused_slot(int slot);
    void log_erase_failure(int slot, const diagnostics& diag);
    void erase_slots_of(slots::owner_id owner);
    std::vector<int> occupy_slots_of(slots::owner_id owner);
    void erase_slot(int slot, std::function<void()> then);
    void on_erased(const ended_use& use, const error_code& ec, const diagnostics& diag);
    void return_used_slot(ended_use use);
    duration withdraw(slots::ticket t);
    void arm_timer();
    std::optional<time_point> schedule_wakeups();
    void post(std::function<void(slot_manager&)> f);

    void poll_slots();
    bool begin_poll();
    void on_poll_result(const error_code& ec, const diagnostics& diag,
                        const std::vector<slot_state>& states);
    std::vector<slots::release_report> apply_poll_result(const error_code& ec,
                                                         const std::vector<slot_state>& states);
    void detect_foreign_use(const std::vector<slot_state>& states);
    static void notify_idle(slot_table& table, const slots::release_report& n);
    void log_release_report(const slots::release_report& n) const;
    static void wake_waiting_managers(const slot_table& table);
    std::optional<time_point> next_poll_at() const;
    void arm_poll_timer();

    server_link& link_;
    shared_slot_table table_;
    std::map<slots::ticket, queued_request> waiting_;
    // Empty after the execution context is destroyed.
    std::optional<boost::asio::steady_timer> timer_;
    std::optional<boost::asio::steady_timer> watch_timer_;
};

}  // namespace tandem::detail
