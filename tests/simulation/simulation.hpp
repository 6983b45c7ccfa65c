#pragma once

#include "base/time.hpp"
#include "reply/reply_machine.hpp"
#include "simulation/simulated_server.hpp"
#include "slots/slot_scheduler.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace tandem::test {

class simulated_reply;

/// Runs some replies that share slots, in simulated time, with random texts, timings, faults and
/// consumers, all from one seed. Invariants are checked at each step; broken ones are written down.
class simulation {
 public:
    explicit simulation(std::uint64_t seed);
    ~simulation();
    /// Runs until nothing is left to happen. What was broken; empty if nothing was.
    std::vector<std::string> run();

    std::uint64_t steps() const noexcept { return steps_; }
    /// The transitions that the machines made.
    detail::reply_machine::transitions made() const;
    std::size_t replies() const noexcept { return replies_.size(); }

 private:
    friend class simulated_reply;

    struct slot_use {
        bool busy = false;
        std::optional<time_point> released;
    };

    void at(duration delay, std::function<void()> what);
    slots::ticket want_slot(slots::wish w, std::function<void(const slots::grant&)> taker);
    void forget_slot(slots::ticket t);
    void give_slots();
    void check_nobody_waits_in_vain();
    void slot_taken(int slot);
    void slot_released(int slot, slots::release_note note);
    void check(bool holds, const char* what);
    void check_nothing_left();

    rng random_;
    time_point now_{std::chrono::hours(1)};
    std::uint64_t steps_ = 0;
    std::uint64_t order_ = 0;
    std::map<std::pair<time_point, std::uint64_t>, std::function<void()>> agenda_;
    duration guard_;
    slots::slot_scheduler scheduler_;
    std::vector<slot_use> uses_;
    std::set<slots::ticket> live_;  // tickets that are no prefilling
    std::map<slots::ticket, std::function<void(const slots::grant&)>> waiting_;
    std::vector<std::unique_ptr<simulated_reply>> replies_;
    std::vector<std::string> broken_;
};

}  // namespace tandem::test
