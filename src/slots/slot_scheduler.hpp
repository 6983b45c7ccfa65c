#pragma once

#include "base/time.hpp"
#include "slots/concurrency_limit.hpp"
#include "slots/generated_so_far.hpp"
#include "slots/lead_loss.hpp"
#include "slots/slot_request.hpp"

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

namespace tandem::slots {

/// Decides which request gets which slot, and when. Has no clock and no timer: callers pass the
/// time, and call take_grants() after each change and at the times of due_grants().
///
/// Tickets. Live tickets are served in the order of their due times, then of arrival; background
/// tickets come last. A ticket that waits for a guard is promised its slot: later tickets may get
/// any other slot. A background ticket gets no slot that a waiting live ticket could use. When at
/// most a quarter of the slots are idle, these slots are kept for new turns, whose listeners wait
/// in silence; a continuation gets one of them only if it is due within 2 s.
///
/// Slots. A slot runs one request at a time. Its use ends when the request ends, for whatever
/// reason, and the slot is not granted again within the guard. Afterwards, the slot still holds the
/// text, as a cache, until the next request replaces it. Idle slots are ranked by these criteria,
/// in this order:
///  1. It is not stuck on the server. A stuck slot is used only if the ticket has no other.
///  2. Its guard is over.
///  3. It is not slot_request::avoid.
///  4. It is not maybe_busy on the server, which would delay the request.
///  5. It is prefilled for the ticket.
///  6. Its cost is the lowest: the text to evaluate, plus the text that another owner loses and may
///     need again.
///  7. Its text is needed again later than the texts of the others.
///  8. It was used more recently than the others.
/// Among equal slots, or if the guard of none is over, the slot whose guard ends first is chosen.
/// Slots whose guards end at the same time take turns. While a slot is being prefilled for a
/// ticket, the ticket gets no other slot, except one that already holds the whole prompt. A slot
/// that is stuck, or from which another owner continues, is never prefilled.
class slot_scheduler {
 public:
    /// Precondition: slots > 0.
    slot_scheduler(int slots, duration reuse_guard);

    /// Queues a request. Returns no_ticket and queues nothing if the limit of waiting turns is
    /// reached.
    ticket request(slot_request w = {});
    /// Withdraws a request; has no effect if it has already been granted or withdrawn.
    void withdraw(ticket t);
    /// Changes the due time of a waiting ticket; has no effect if the ticket does not wait.
    void set_due(ticket t, time_point due);
    /// How long the guard alone has delayed the ticket so far; 0 if the ticket does not wait.
    duration guard_wait(ticket t, time_point now) const;
    /// Takes an idle slot without a ticket, for other work; release() returns it.
    void occupy(int slot) { at(slot).busy = true; }
    /// The request on `slot` has ended. Precondition: the slot is granted.
    void release(int slot, time_point now, release_info note = {});
    /// Records the speed of the running request on `slot`: call it at the first token and after
    /// each chunk. Without these calls, the speed of a request that generates a whole reply would
    /// be unknown until its end. Precondition: the slot is granted.
    void record_progress(int slot, const generated_so_far& g, time_point now) {
        learn_speed(at(slot), g, now);
    }
    /// The owner sends no more requests, so its slots may be prefilled for others. Its text in the
    /// slots is still treated as text that may be needed again.
    void release_owner(owner_id owner) noexcept;
    /// The owner will never return, so its text in the slots is worthless.
    void retire_owner(owner_id owner) noexcept;
    /// The slot was erased: its contents and last user are unknown.
    void forget_contents(int slot);
    /// Of the slots that no one else has used since the owner did, the one that the owner used
    /// last.
    std::optional<int> last_slot_used_by(owner_id owner) const;
    /// Whether `owner` was the last to use the slot.
    bool was_last_used_by(int slot, owner_id owner) const { return at(slot).last_user == owner; }
    /// The slots that the owner is using, or used last; none for `nobody`.
    std::vector<int> slots_used_by(owner_id owner) const;
    /// Records the server's activity on the slot.
    void set_server_state(int slot, server_slot_state side);
    /// The server is not polled any longer, so unverified slots are considered idle.
    void stop_verifying() noexcept;
    /// Changes the guard, including for slots already used and for waiting tickets.
    void set_guard(duration reuse_guard) noexcept { reuse_guard_ = reuse_guard; }
    /// Sets how many slots may be granted: as many as the server has, up to the limit set by the
    /// constructor or raise_slot_limit().
    void set_slot_count(int slots);
    /// Raises the limit of set_slot_count(); has no effect if the limit is already as high.
    void raise_slot_limit(int slots);
    // Processes that share a server lend each other the server's slots. A slot that another process
    // has is called away, and is not granted here.
    /// Marks all slots as away, including those that raise_slot_limit() adds later.
    void share_slots();
    /// Grants nothing after `until`, in case this process was suspended and other processes got its
    /// slots.
    void set_lease(time_point until) noexcept { lease_until_ = until; }
    /// Marks the slot as away. A request that runs on the slot continues until its end.
    void send_away(int slot) { at(slot).is_away = true; }
    /// The slot may be granted again. `last_used`: when the slot's last request ended; nullopt if
    /// the slot was never used, or has been unused for longer than any guard. `is_untouched`: the
    /// slot still holds the text that it held in this process.
    void bring_back(int slot, std::optional<time_point> last_used, bool is_untouched);
    /// Sets how many slots are away only because the server must be checked before they are used.
    void set_unchecked(int slots) noexcept { unchecked_ = slots; }
    bool is_away(int slot) const { return at(slot).is_away; }
    std::optional<time_point> last_used(int slot) const { return at(slot).last_used; }
    /// The most urgent live request of this process that one more slot would let run; nullopt if
    /// there is none.
    std::optional<slot_shortage> find_shortage(time_point now) const;
    void set_other_process_usage(const other_process_usage& u) noexcept { other_usage_ = u; }
    const other_process_usage& get_other_process_usage() const noexcept { return other_usage_; }
    /// The total running time of all requests of this process.
    duration find_running_time(time_point now);
    /// Whether the server restores displaced text from its host memory, which makes it cheap to
    /// displace text. Learned from requests of owners whose text was displaced; false before the
    /// first such request.
    bool restores_texts() const noexcept { return restored_ > 0; }
    /// Sets the limit for waiting tickets of kind `turn`; tickets already waiting stay.
    void set_queue_limit(std::size_t turns) noexcept { queue_limit_ = turns; }

    /// The grants that are possible at `now`.
    std::vector<grant> take_grants(time_point now);
    /// Which waiting tickets get a slot at a known time, and when, unless a slot or the queue
    /// changes before.
    std::vector<due_grant> due_grants() const;
    /// Why the ticket has not been granted a slot; nullopt if the ticket does not wait.
    std::optional<wait_reason> find_wait_reason(ticket t, time_point now) const;

    /// Whether the request on `slot` should end at its next sentence, because a waiting ticket
    /// needs the slot sooner. `due` is the time when the listener of that request has nothing left
    /// to hear.
    bool should_yield_slot(int slot, time_point due, time_point now) const;

    /// Whether work that nobody waits for may use a slot: no ticket waits, and more slots are idle
    /// than are kept for new turns.
    bool has_slot_to_spare() const;
    /// Whether no ticket waits and no slot is in use.
    bool is_idle() const;
    /// Number of waiting tickets, excluding those that only prefill.
    int count_waiting_requests() const noexcept;
    int slots() const noexcept { return usable_; }
    bool is_busy(int slot) const { return at(slot).busy; }
    server_slot_state server_state(int slot) const { return at(slot).server_state; }
    /// Number of slots in use that are not stuck.
    int count_running() const;
    /// How many requests of this process may run at once, learned from the speed of requests.
    int max_running() const noexcept { return max_running_; }
    /// See concurrency_limit.
    std::optional<double> find_tokens_per_s(time_point now) const {
        return limit_.find_tokens_per_s(usable_, now);
    }
    /// How overdue the first waiting request is; 0 if none is overdue.
    duration find_lateness(time_point now) const;
    /// See lead_loss.
    double find_lead_loss(time_point now) const;
    const residence_changes& get_residence_changes() const noexcept { return changes_; }

 private:
    struct slot_state {
        bool busy = false;
        bool is_away = false;
        bool is_being_prefilled = false;
        server_slot_state server_state = server_slot_state::idle;
        /// When its last request ended; nullopt if the slot was never used.
        std::optional<time_point> last_used{};
        /// The text in the slot (empty if unknown), and when the slot was filled with it.
        std::string holds{};
        std::optional<time_point> filled{};
        /// The last user, if that owner continues from this slot.
        owner_id owner = nobody;
        /// When its last user is expected to need the text again.
        time_point needed_at = never;
        /// The owner to which the slot was last granted, and the owner whose request last ran on
        /// the slot.
        owner_id user = nobody;
        owner_id last_user = nobody;
        bool is_left = false;  // the last user will not return
        /// The point up to which the running request's speed has been learned: what the request had
        /// generated by then, the time, and the value of running_time_.
        generated_so_far learned{};
        time_point learned_at{};
        duration running_time_before{};
        /// The running request belongs to an owner whose text was displaced, and the slot held
        /// another text.
        bool shows_restoring = false;
    };
    struct waiting {
        slots::ticket ticket;
        slots::slot_request wish;
        std::optional<time_point> waits_since{};
        /// Since when only the guard has delayed the ticket, and the total of earlier delays.
        std::optional<time_point> guarded_since{};
        duration guarded{};
    };

    struct prospects;
    class queue_simulation;

    struct wait_prediction {
        /// The slot that the ticket gets, if only that slot's guard delays it.
        std::optional<int> promised{};
        /// When the ticket may be granted a slot.
        std::optional<time_point> due{};
    };

    bool is_idle_here(int slot) const { return !at(slot).busy && !at(slot).is_away; }
    int count_slots_here() const;
    const slot_state& at(int slot) const { return slots_[static_cast<std::size_t>(slot)]; }
    slot_state& at(int slot) { return slots_[static_cast<std::size_t>(slot)]; }
    time_point ready_at(int slot) const;
    bool is_stuck(int slot) const { return at(slot).server_state == server_slot_state::busy; }
    std::size_t reuse_cost(int slot, const slot_request& w, time_point now) const;
    bool is_resident(owner_id owner) const;
    time_point cached_text_needed_at(int slot, const slot_request& w) const;
    std::size_t count_waiting_turns() const;

    static bool has_own_lead(const waiting& w) noexcept;
    void insert(waiting w);
    void count_running_time(time_point now);
    int find_own_limit(time_point now) const;
    void begin_speed_window(slot_state& s, const generated_so_far& g, time_point now);
    void learn_speed(slot_state& s, const generated_so_far& g, time_point now);
    void learn_restoring(const slot_state& s, const release_info& note) noexcept;
    void count_residence_change(const slot_state& s, const release_info& note) noexcept;

    // Queue, in slot_scheduler_choice.cpp.
    std::deque<waiting>::const_iterator find(ticket t) const;
    bool is_warm(int slot, const slot_request& w) const;
    bool is_being_prefilled_for(const slot_request& w) const;
    bool may_prefill(int slot, const slot_request& w) const;
    static bool may_be_granted(int slot, const slot_request& w) {
        return !w.required_slot || slot == *w.required_slot;
    }
    bool has_only_stuck(const slot_request& w) const;
    std::optional<int> choose_slot(const prospects& p, const slot_request& w, time_point now) const;
    grant grant_slot(int slot, std::size_t place, time_point now);
    std::vector<wait_prediction> predict_waits() const;
    void count_slots(wait_reason& w) const;
    void update_waits(time_point now);

    duration reuse_guard_;
    std::vector<slot_state> slots_;
    int usable_;
    bool is_shared_ = false;  // new slots are added as away
    time_point lease_until_ = never;
    int unchecked_ = 0;
    other_process_usage other_usage_;
    concurrency_limit limit_;
    int max_running_ = concurrency_limit::unlimited;
    // The total running time of all requests, up to counted_until_.
    duration running_time_{};
    time_point counted_until_{};
    residence_changes changes_;
    lead_loss lead_loss_;
    int restored_ = 0;  // above 0 if recent texts were mostly restored
    std::size_t queue_limit_ = default_queue_limit;
    std::deque<waiting> queue_;
    slots::ticket last_ticket_ = no_ticket;
    int next_in_turn_ = 0;
    std::optional<int> last_used_slot_;
};

}  // namespace tandem::slots
