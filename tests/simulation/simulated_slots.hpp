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

/// How the slots of one server are given.
struct slot_rules {
    int slots = 1;
    duration guard{};
    bool sharing = false;
    std::size_t queue_limit = slots::default_queue_limit;
};

/// The slots of one server: the scheduler, and what it promises, checked at each step.
class simulated_slots {
 public:
    /// False: the slot is not wanted any more, and goes back unused.
    using taker = std::function<bool(const slots::grant&)>;

    simulated_slots(simulated_world& world, slot_rules rules);

    /// no_ticket if as many wait as may; else give() must follow.
    slots::ticket want(slots::slot_request w, taker to);
    void raise(slots::ticket t, slots::priority to);
    void forget(slots::ticket t);
    void give();
    /// A request begins on the slot, and has ended there.
    void use(int slot);
    void release(int slot, slots::release_info note);
    void let_go(slots::owner_id owner);
    void retire(slots::owner_id owner);

    /// The server has so many.
    void set_slot_count(int slots);
    int count() const noexcept { return scheduler_.slots(); }
    bool may_refuse() const noexcept { return rules_.queue_limit < slots::default_queue_limit; }
    /// No request is left.
    void check_nothing_runs() const;
    /// Nothing runs, waits or is leased any more.
    void check_nothing_left() const;

 private:
    struct slot_use {
        bool busy = false;
        std::optional<time_point> released{};
        slots::owner_id granted_to = slots::nobody;  // by a lease that has not ended
    };
    struct waiting {
        slots::slot_request wish;
        taker to;
    };

    slot_use& at(int slot) { return uses_.at(static_cast<std::size_t>(slot)); }
    std::map<slots::owner_id, int> leases() const;
    void check_grants(const std::vector<slots::grant>& given,
                      const std::map<slots::owner_id, int>& leases_before);
    void check_order(const slots::grant& g, const std::set<slots::owner_id>& served,
                     const std::map<slots::owner_id, int>& leases_before);
    void check_leases();
    void check_nobody_waits_in_vain();
    bool is_open(int slot, const slots::slot_request& w,
                 const std::map<slots::owner_id, int>& held);
    void offer(const slots::grant& g);
    void arm();

    simulated_world& world_;
    slot_rules rules_;
    slots::slot_scheduler scheduler_;
    std::vector<slot_use> uses_;
    std::map<slots::ticket, waiting> waiting_;
    std::map<slots::ticket, taker> granted_;  // and not offered yet
};

}  // namespace tandem::test
