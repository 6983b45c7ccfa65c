#pragma once

#include "simulation/simulated_world.hpp"
#include "slots/slot_scheduler.hpp"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace tandem::test {

/// The rules by which one server's slots are granted.
struct slot_rules {
    int slots = 1;
    duration guard{};
    std::size_t queue_limit = slots::default_queue_limit;
};

/// The slots of one server. Runs the scheduler and checks its promises at each step.
class simulated_slots {
 public:
    /// Returns false if the slot is no longer needed; the slot then goes back unused.
    using grant_handler = std::function<bool(const slots::grant&)>;

    simulated_slots(simulated_world& world, slot_rules rules);

    /// Returns no_ticket if the queue is full. Otherwise, the caller must call give() next.
    slots::ticket want(slots::slot_request w, grant_handler handler);
    void set_due(slots::ticket t, time_point due);
    void record_progress(int slot, const slots::generated_so_far& g);
    bool should_yield_slot(int slot, time_point due) const;
    void forget(slots::ticket t);
    void give();
    /// A request begins on the slot, or has ended on the slot.
    void use(int slot);
    void release(int slot, slots::release_info note);
    void let_go(slots::owner_id owner);
    void retire(slots::owner_id owner);

    /// Sets the server's number of slots.
    void set_slot_count(int slots);
    int count() const noexcept { return scheduler_.slots(); }
    bool may_refuse() const noexcept { return rules_.queue_limit < slots::default_queue_limit; }
    /// Checks that no slot is in use and no request waits for a slot.
    void check_nothing_runs() const;
    /// Also checks that the scheduler is idle and will grant nothing.
    void check_nothing_left() const;

 private:
    struct slot_use {
        bool busy = false;
        std::optional<time_point> released{};
    };
    struct waiting {
        slots::slot_request wish;
        grant_handler handler;
    };

    slot_use& at(int slot) { return uses_.at(static_cast<std::size_t>(slot)); }
    void check_grants(const std::vector<slots::grant>& given);
    void check_order(const slots::grant& g);
    void check_nobody_waits_in_vain();
    bool may_be_kept_waiting(const slots::slot_request& w);
    int count_open();
    bool is_open(int slot);
    void offer(const slots::grant& g);
    void arm();

    simulated_world& world_;
    slot_rules rules_;
    slots::slot_scheduler scheduler_;
    std::vector<slot_use> uses_;
    std::map<slots::ticket, waiting> waiting_;
    std::map<slots::ticket, grant_handler> granted_;  // granted but not offered yet
};

}  // namespace tandem::test
