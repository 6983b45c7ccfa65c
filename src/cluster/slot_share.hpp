#pragma once

#include "base/time.hpp"
#include "cluster/slot_activity.hpp"
#include "cluster/slot_share_actions.hpp"
#include "slots/slot_scheduler.hpp"

#include "tandem/server.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tandem::cluster {

/// The slots of a server, as observed by this gateway's scheduler.
struct local_slots {
    struct slot {
        bool is_busy = false;
        std::optional<time_point> last_used{};
    };
    std::vector<slot> slots{};
    std::optional<slots::slot_shortage> shortage{};
    duration reuse_guard{};
};

/// Decides which slots of a server this gateway borrows, lends and polls. Pure. After each event,
/// perform take_actions(), let the scheduler grant slots, and call update(); repeat this until
/// take_actions() is empty. Also call update() at next_event().
///
/// A gateway keeps a slot until its scheduler grants the slot to another gateway, whose request is
/// more urgent than any request here. The store records which gateway has which slot. If the store
/// does not answer, or if the borrower of a slot has disappeared, this gateway polls the server
/// instead: it may use an idle slot that nobody has used since its own last request there, or for
/// at least `quiet_time`. If the server does not report its slots, a slot becomes usable once every
/// gateway has had time to claim it.
class slot_share {
 public:
    /// A slot must be unused for this long before a gateway takes it without the store.
    static constexpr duration quiet_time = std::chrono::seconds(1);
    /// Interval at which a gateway repeats its wish. Other gateways forget the wish after three
    /// intervals.
    static constexpr duration repeat_wish = std::chrono::milliseconds(500);
    /// Interval at which a gateway sends its loans to the store in case records were
    /// lost.
    static constexpr duration repeat_claim = std::chrono::seconds(5);
    /// Minimum time between two polls, because answering delays the server's other work.
    static constexpr duration poll_interval = std::chrono::milliseconds(50);

    /// Call it when the scheduler's state has changed, and when next_event() has passed.
    void update(time_point now, local_slots here);
    /// The store has renewed this gateway's lease. The store's records apply only during the lease.
    /// `is_one_missing`: another gateway has lost its lease or its connection to the store, and may
    /// still run.
    void renew_lease(time_point until, bool is_one_missing) noexcept {
        lease_until_ = until;
        is_one_missing_ = is_one_missing;
    }
    /// The store may have lost records: sends the loans again, and polls the server before idle
    /// slots are used.
    void distrust_store(time_point now);
    /// Receives all loans of this gateway; nullopt if the store did not answer.
    void on_claim_answer(time_point now, const std::optional<std::vector<loan>>& loans);
    /// Another gateway has handed a slot to this one.
    void on_loan(time_point now, const loan& l);
    void on_offer_answer(time_point now, int slot, offer_result result);
    /// The scheduler has granted the slot to the wish of another gateway.
    void on_granted_elsewhere(time_point now, const std::string& gateway, int slot,
                              std::optional<time_point> last_used);
    /// Another gateway waits for a slot.
    void on_wish(time_point now, const std::string& gateway, const slots::slot_shortage& wish);
    void on_wish_end(const std::string& gateway);
    /// Receives the states of the server's slots; nullopt if the poll failed.
    void on_poll_answer(time_point now,
                        const std::optional<std::vector<tandem::slot_state>>& states);

    /// Borrows no more slots, and returns each slot when it becomes idle.
    void leave() noexcept { is_leaving_ = true; }
    bool is_leaving() const noexcept { return is_leaving_; }
    /// Whether this gateway has returned all slots, and no claim or wish could bring it another
    /// one.
    bool has_left() const noexcept {
        return is_leaving_ && held_.empty() && !running_claim_ && !claimed_wish_;
    }
    /// The scheduler may grant slots until this time, which update() may extend.
    time_point lease_end(time_point now) const { return trusts_store(now) ? lease_until_ : never; }
    bool has_actions() const noexcept { return !actions_.empty(); }
    std::vector<any_share_action> take_actions() { return std::exchange(actions_, {}); }
    /// When to call update() next, after `now`.
    std::optional<time_point> next_event(time_point now) const;
    /// Number of borrowed slots, including those that need a poll before use.
    int count_slots() const noexcept { return static_cast<int>(held_.size()); }
    /// Number of idle borrowed slots that need a poll before use.
    int count_unchecked() const;
    /// How often another gateway got a slot that this gateway held and had not offered.
    std::int64_t count_lost() const noexcept { return lost_; }

 private:
    enum class stage {
        here,     // the scheduler may grant it
        offered,  // the store has not answered yet
        unsure,   // needs a poll before use
    };
    struct held_slot {
        loan_number number = 0;
        slot_share::stage stage = stage::here;
        /// The last task of this gateway on the slot, if known.
        std::optional<int> own_task{};
        /// Whether `own_task` must be read from the next poll.
        bool awaits_own_task = false;
        time_point unsure_since{};
    };

    bool trusts_store(time_point now) const { return now < lease_until_ && is_agreed_; }
    const local_slots::slot& local_slot(int slot) const;
    std::optional<duration> unused_for(time_point now, int slot) const;
    bool must_poll_before_use(time_point now) const {
        return !trusts_store(now) || (is_one_missing_ && can_poll_);
    }
    bool has_demand() const { return here_.shortage || !wishes_.empty(); }
    duration find_poll_pause() const noexcept;
    void mark_all_unsure(time_point now);
    void mark_unused_unsure(time_point now);
    void send_away(time_point now, int slot, held_slot& h);
    static void mark_unsure(time_point now, held_slot& h) noexcept;
    void drop_old_wishes(time_point now);
    void accept_loan(time_point now, const loan& l);
    void drop_lost_loans(const std::vector<reported_loan>& reported,
                         const std::vector<loan>& loans);
    void learn_own_tasks(time_point now);
    void return_idle_slots(time_point now);
    void bring_usable_slots(time_point now);
    void bring_slots_by_record(time_point now);
    void borrow_from_server(time_point now);
    bool is_untouched(int slot, const held_slot& h) const;
    bool is_quiet(time_point now, int slot) const;
    bool is_guarded(time_point now, int slot) const;
    duration quiet_time_of_server() const { return std::max(quiet_time, here_.reuse_guard); }
    void bring_back(int slot, held_slot& h);
    bool needs_claim(time_point now) const;
    void send_claim(time_point now);
    bool needs_poll(time_point now) const;

    local_slots here_{};
    std::map<int, held_slot> held_;
    std::map<int, loan_number> highest_number_;
    std::map<std::string, time_point> wishes_;  // by gateway: when the wish expires
    slot_activity activity_;
    std::vector<any_share_action> actions_;
    time_point lease_until_{};
    bool is_one_missing_ = false;
    bool is_leaving_ = false;
    bool is_agreed_ = false;    // held_ matches the store's records
    bool has_claimed_ = false;  // the store has answered a claim of this process
    std::optional<share_action::claim> running_claim_{};
    std::optional<slots::slot_shortage> claimed_wish_{};
    std::optional<time_point> claimed_at_{};
    std::optional<time_point> short_since_{};
    bool is_polling_ = false;
    bool can_poll_ = true;  // the server answered the last poll
    std::optional<time_point> polled_at_{};
    std::optional<time_point> offer_again_at_{};
    std::int64_t lost_ = 0;
};

}  // namespace tandem::cluster
