// Rules that hold for all requests of owners, however long the requests take.

#include "slot_uses.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::time_point;
using tandem::slots::grant;
using tandem::slots::is_for_listener;
using tandem::slots::nobody;
using tandem::slots::owner_id;
using tandem::slots::request_kind;
using tandem::slots::server_slot_state;
using tandem::slots::slot_request;
using tandem::slots::slot_scheduler;
using tandem::slots::ticket;
using tandem::test::at;

/// Requests of owners 1 to 6, or of nobody, arrive, run and end at random.
class random_owners {
 public:
    random_owners(unsigned seed, bool may_get_stuck)
        : random_(seed),
          may_get_stuck_(may_get_stuck),
          guard_(pick(0, 4) * 500ms),
          scheduler_(pick(1, 6), guard_),
          slots_(static_cast<std::size_t>(scheduler_.slots())) {}

    void go() {
        for (int step = 0; step < 150 && !testing::Test::HasFailure(); ++step) {
            now_ += pick(0, 6) * 100ms;
            do_something();
            for (const auto& g : scheduler_.take_grants(now_)) check_grant(g);
            check_who_waits();
        }
    }
    int grants() const { return grants_; }

 private:
    struct slot_use {
        bool busy = false;
        std::optional<time_point> used{};
        bool is_stuck = false;
        owner_id last_user = nobody;
        owner_id user = nobody;
    };

    int pick(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
    slot_use& use(int slot) { return slots_.at(static_cast<std::size_t>(slot)); }
    int some_slot() { return pick(0, static_cast<int>(slots_.size()) - 1); }

    void do_something() {
        const int what = pick(0, 20);
        if (what < 6) return ask();
        if (what < 16) return release(some_slot());
        if (what < 18) return scheduler_.release_owner(static_cast<owner_id>(pick(1, 6)));
        if (what < 19) return change_slot_count();
        if (what < 20) return set_server_state(some_slot(), pick(0, 2) == 0);
        if (!waiting_.empty()) withdraw();
    }

    void ask() {
        const auto owner = static_cast<owner_id>(pick(0, 6));
        constexpr const char* texts[] = {"", "Dear", "Dear Anna", "Other"};
        const slot_request w{.prompt = texts[pick(0, 3)],
                             .kind = static_cast<request_kind>(pick(0, 2)),
                             .due = at(pick(0, 5) * 1s),
                             .owner = owner,
                             .was_here = pick(0, 1) == 0};
        waiting_.emplace(scheduler_.request(w), w);
    }
    void withdraw() {
        const auto t = std::next(waiting_.begin(), pick(0, static_cast<int>(waiting_.size()) - 1));
        scheduler_.withdraw(t->first);
        waiting_.erase(t);
    }
    void release(int slot) {
        auto& u = use(slot);
        if (!u.busy) return;
        u.busy = false;
        const bool has_run = pick(0, 5) > 0;
        const bool is_use = pick(0, 5) > 0;
        scheduler_.release(slot, now_, {.has_run = has_run, .is_use = is_use, .holds = "Dear A"});
        if (has_run) u.last_user = u.user;
        if (has_run && u.is_stuck) set_server_state(slot, false);
        if (has_run && is_use) u.used = now_;
    }
    void change_slot_count() {
        scheduler_.set_slot_count(pick(1, static_cast<int>(slots_.size())));
    }
    void set_server_state(int slot, bool is_stuck) {
        if (!may_get_stuck_) return;
        scheduler_.set_server_state(slot,
                                    is_stuck ? server_slot_state::busy : server_slot_state::idle);
        use(slot).is_stuck = is_stuck;
    }

    void check_grant(const grant& g) {
        const auto asked = waiting_.extract(g.ticket);
        ASSERT_TRUE(asked) << "each grant is for a waiting ticket";
        const auto& w = asked.mapped();
        auto& u = use(g.slot);
        EXPECT_LT(g.slot, scheduler_.slots());
        EXPECT_FALSE(u.busy) << "a slot runs one request at a time";
        EXPECT_TRUE(!u.used || now_ - *u.used >= guard_) << "the guard is kept";
        EXPECT_EQ(g.previous, u.last_user == w.owner ? nobody : u.last_user);
        for (const auto& [t, other] : waiting_)
            EXPECT_FALSE(is_for_listener(other) && is_for_listener(w) && other.due < w.due)
                << "ticket " << t << " was due before " << g.ticket;
        u.busy = true;
        u.user = w.owner;
        ++grants_;
    }

    void check_who_waits() {
        std::set<int> promised;
        for (const auto& [t, w] : waiting_) {
            const auto slot = scheduler_.find_wait_reason(t, now_).value().guarded_slot;
            EXPECT_TRUE(!slot || promised.insert(*slot).second) << "a slot is promised once";
        }
        for (const auto& [t, w] : waiting_)
            for (int slot = 0; slot < scheduler_.slots(); ++slot)
                EXPECT_FALSE(is_for_listener(w) && is_ready(slot) && !promised.contains(slot))
                    << "ticket " << t << " waits beside slot " << slot;
        const auto next = next_grant(scheduler_);
        EXPECT_TRUE(!next || *next > now_) << "a due grant was not made";
    }

    bool is_ready(int slot) {
        const auto& u = use(slot);
        return !u.busy && !u.is_stuck && !(u.used && now_ - *u.used < guard_);
    }

    std::mt19937 random_;
    bool may_get_stuck_;
    duration guard_;
    slot_scheduler scheduler_;
    std::vector<slot_use> slots_;
    std::map<ticket, slot_request> waiting_;
    time_point now_ = at(0s);
    int grants_ = 0;
};

class slot_scheduler_property : public testing::TestWithParam<bool> {};

TEST_P(slot_scheduler_property, holds_in_random_runs) {
    int grants = 0;
    for (unsigned seed = 1; seed <= 150 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        random_owners run(seed, GetParam());
        run.go();
        grants += run.grants();
    }
    EXPECT_GT(grants, 3'000) << "the runs must grant slots";
}

INSTANTIATE_TEST_SUITE_P(stuck_slots, slot_scheduler_property, testing::Bool());

}  // namespace
