#pragma once

#include "base/time.hpp"
#include "cluster/lending_store.hpp"
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

/// The slots of a server as this gateway's scheduler knows them.
struct local_slots {
    struct slot {
        bool is_busy = false;
        std::optional<time_point> last_used{};
    };
    std::vector<slot> slots{};
    std::optional<slots::slot_shortage> shortage{};
    duration reuse_guard{};
};

/// This gateway's share of a server's slots. Decides what to borrow, to lend, and to look at. Pure:
/// after each event, perform take_actions(), let the scheduler grant, and call update(), until
/// nothing is left to do; call update() at next_event(), too.
///
/// A gateway keeps a slot until another gateway waits for it more urgently than any request here,
/// which its scheduler decides. While the store answers, what it says is right. While it does not,
/// and for a slot whose last borrower has disappeared, the server itself is asked: a slot may be
/// used if it is idle, and has either not been used since this gateway's last request or been
/// unused for `quiet_time`. If the server does not tell, such a slot waits until all gateways had
/// time to claim it.
class slot_share {
 public:
    /// How long a slot is watched before a gateway takes it without the store.
    static constexpr duration quiet_time = std::chrono::seconds(1);
    /// A wish is repeated this often, and is forgotten after three times as long.
    static constexpr duration repeat_wish = std::chrono::milliseconds(500);
    /// The store is told this often which slots are here, in case it has forgotten.
    static constexpr duration repeat_claim = std::chrono::seconds(5);
    /// The server is asked for its slots at most this often: an answer delays its other work.
    static constexpr duration look_interval = std::chrono::milliseconds(50);

    /// The scheduler's state has changed, or next_event() has passed.
    void update(time_point now, local_slots here);
    /// The store has renewed this gateway's lease: without it, the store is not believed.
    /// `is_one_missing`: the lease of another gateway has ended, which may run without the store.
    void renew_lease(time_point until, bool is_one_missing) noexcept {
        lease_until_ = until;
        is_one_missing_ = is_one_missing;
    }
    /// The store may have forgotten or changed something: it is told again, and idle slots are
    /// looked at before they are used.
    void doubt_store(time_point now);
    /// The answer to a claim: all loans of this gateway; nullopt if there was no answer.
    void claimed(time_point now, const std::optional<std::vector<loan>>& loans);
    /// The store has handed a slot of another gateway to this one.
    void lent(time_point now, const loan& l);
    /// The answer to an offer.
    void offered(time_point now, int slot, offer_result result);
    /// The scheduler has granted the slot to the wish of the gateway, and sent it away.
    void granted_elsewhere(time_point now, const std::string& gateway, int slot,
                           std::optional<time_point> last_used);
    /// Another gateway waits for a slot, or no longer does.
    void wished(time_point now, const std::string& gateway, const slots::slot_shortage& wish);
    void wish_ended(const std::string& gateway);
    /// The answer to a look; nullopt if there was none.
    void looked(time_point now, const std::optional<std::vector<tandem::slot_state>>& states);

    /// From now on, borrows nothing and returns slots as soon as they are idle.
    void leave() noexcept { is_leaving_ = true; }
    bool is_leaving() const noexcept { return is_leaving_; }
    /// Until when the scheduler may grant the slots that are here; update() may extend it.
    time_point lease_end(time_point now) const { return is_sure(now) ? lease_until_ : never; }
    std::vector<any_share_action> take_actions() { return std::exchange(actions_, {}); }
    /// When to call update() next, after `now`.
    std::optional<time_point> next_event(time_point now) const;
    /// Number of slots that this gateway has, including those that it must look at before use.
    int count_slots() const noexcept { return static_cast<int>(held_.size()); }
    /// Number of slots that were lost to other gateways while this one had them.
    std::int64_t count_lost() const noexcept { return lost_; }

 private:
    enum class stage {
        here,     // the scheduler may grant it
        offered,  // the store has not answered yet
        unsure,   // used only after a look
    };
    struct held_slot {
        loan_number number = 0;
        slot_share::stage stage = stage::here;
        /// The last task of this gateway on the slot, if known.
        std::optional<int> own_task{};
        /// The next look shows that task.
        bool awaits_own_task = false;
        time_point unsure_since{};
    };

    bool is_sure(time_point now) const { return now < lease_until_ && is_agreed_; }
    const local_slots::slot& local(int slot) const;
    std::optional<duration> unused_for(time_point now, int slot) const;
    bool must_look_before_use(time_point now) const {
        return !is_sure(now) || (is_one_missing_ && can_look_);
    }
    bool has_demand() const { return here_.shortage || !wishes_.empty(); }
    duration time_between_looks() const noexcept;
    void doubt_all(time_point now);
    void doubt_unused_slots(time_point now);
    void send_away(time_point now, int slot, held_slot& h);
    static void doubt(time_point now, held_slot& h) noexcept;
    void drop_old_wishes(time_point now);
    void accept(time_point now, const loan& l);
    void drop_lost_loans(const std::vector<told_loan>& told, const std::vector<loan>& loans);
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
    bool needs_look(time_point now) const;

    local_slots here_{};
    std::map<int, held_slot> held_;
    std::map<int, loan_number> highest_number_;
    std::map<std::string, time_point> wishes_;  // by gateway: when they are forgotten
    slot_activity activity_;
    std::vector<any_share_action> actions_;
    time_point lease_until_{};
    bool is_one_missing_ = false;
    bool is_leaving_ = false;
    bool is_agreed_ = false;  // the store and held_ name the same slots
    std::optional<share_action::claim> running_claim_{};
    std::optional<slots::slot_shortage> told_wish_{};
    std::optional<time_point> told_at_{};
    std::optional<time_point> short_since_{};
    bool is_looking_ = false;
    bool can_look_ = true;  // the server answered the last look
    std::optional<time_point> looked_at_{};
    std::optional<time_point> offer_again_at_{};
    std::int64_t lost_ = 0;
};

}  // namespace tandem::cluster
