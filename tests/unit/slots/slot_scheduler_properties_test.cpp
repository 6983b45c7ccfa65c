// Rules that hold for all requests of owners, however long they take.

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
using tandem::slots::nobody;
using tandem::slots::owner_id;
using tandem::slots::priority;
using tandem::slots::server_slot_state;
using tandem::slots::slot_request;
using tandem::slots::slot_scheduler;
using tandem::slots::ticket;
using tandem::test::at;

/// Reasons why a lease ends before its owner releases it.
enum class trouble { none, stuck_slots, sharing };

/// Owners 1 to 6 with leases of 0 to 2 slots. Their requests come, run and end at random.
class random_owners {
 public:
    random_owners(unsigned seed, trouble what)
        : random_(seed),
          trouble_(what),
          guard_(pick(0, 4) * 500ms),
          scheduler_(pick(1, 6), guard_),
          slots_(static_cast<std::size_t>(scheduler_.slots())) {
        for (owner_id owner = 1; owner <= 6; ++owner) leases_[owner] = pick(0, 2);
        leases_[nobody] = 0;
        scheduler_.allow_lease_sharing(what == trouble::sharing);
    }

    void go() {
        for (int step = 0; step < 150 && !testing::Test::HasFailure(); ++step) {
            now_ += pick(0, 6) * 100ms;
            do_something();
            for (const auto& g : scheduler_.take_grants(now_)) check_grant(g);
            check_leases();
            check_who_waits();
        }
    }
    int grants() const { return grants_; }

 private:
    struct slot_use {
        bool busy = false;
        std::optional<time_point> used{};
        bool is_stuck = false;
        owner_id granted_to = nobody;  // leased to this owner since the grant
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
        if (what < 18) return let_go(static_cast<owner_id>(pick(1, 6)));
        if (what < 19) return limit();
        if (what < 20) return set_server_state(some_slot(), pick(0, 2) == 0);
        if (!waiting_.empty()) withdraw();
    }

    void ask() {
        const auto owner = static_cast<owner_id>(pick(0, 6));
        constexpr const char* texts[] = {"", "Dear", "Dear Anna", "Other"};
        const slot_request w{.prompt = texts[pick(0, 3)],
                             .priority = static_cast<priority>(pick(0, 2)),
                             .owner = owner,
                             .lease = leases_[owner]};
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
    void let_go(owner_id owner) {
        scheduler_.release_owner(owner);
        for (auto& u : slots_)
            if (u.granted_to == owner) u.granted_to = nobody;
    }
    void limit() {
        scheduler_.set_slot_count(pick(1, static_cast<int>(slots_.size())));
        for (int slot = scheduler_.slots(); slot < static_cast<int>(slots_.size()); ++slot)
            use(slot).granted_to = nobody;
    }
    // An owner may receive another slot in place of a stuck slot, and lose one of the two later.
    void set_server_state(int slot, bool is_stuck) {
        if (trouble_ != trouble::stuck_slots) return;
        scheduler_.set_server_state(slot,
                                    is_stuck ? server_slot_state::busy : server_slot_state::idle);
        use(slot).is_stuck = is_stuck;
        const auto owner = scheduler_.leased_to(slot);
        for (auto& u : slots_)
            if (u.granted_to == owner) u.granted_to = nobody;
    }

    void check_grant(const grant& g) {
        const auto asked = waiting_.extract(g.ticket);
        ASSERT_TRUE(asked) << "a slot goes to who waits, once";
        const auto& w = asked.mapped();
        auto& u = use(g.slot);
        EXPECT_LT(g.slot, scheduler_.slots());
        EXPECT_FALSE(u.busy) << "one request a slot";
        EXPECT_TRUE(!u.used || now_ - *u.used >= guard_) << "the guard is kept";
        EXPECT_TRUE(u.granted_to == nobody || u.granted_to == w.owner) << "slot of another";
        EXPECT_EQ(g.previous, u.last_user == w.owner ? nobody : u.last_user);
        for (const auto& [t, other] : waiting_)
            EXPECT_FALSE(t < g.ticket && other.priority == w.priority && are_alike(other, w))
                << "ticket " << t << " came before " << g.ticket;
        u.busy = true;
        u.user = w.owner;
        if (w.lease > 0 && trouble_ != trouble::sharing) u.granted_to = w.owner;
        ++grants_;
    }

    // Whether the same slots are open to both requests.
    bool are_alike(const slot_request& a, const slot_request& b) const {
        const bool is_live = a.priority != priority::warming;
        return a.owner == b.owner || (is_live && a.lease == 0 && b.lease == 0);
    }

    void check_leases() {
        std::map<owner_id, int> held;
        for (int slot = 0; slot < scheduler_.slots(); ++slot) {
            const auto owner = scheduler_.leased_to(slot);
            ++held[owner];
            EXPECT_TRUE(use(slot).granted_to == nobody || use(slot).granted_to == owner)
                << "a lease lasts";
        }
        held.erase(nobody);
        for (const auto& [owner, count] : held)
            EXPECT_LE(count,
                      trouble_ == trouble::stuck_slots ? scheduler_.slots() : leases_[owner]);
    }

    void check_who_waits() {
        std::set<int> promised;
        for (const auto& [t, w] : waiting_) {
            const auto slot = scheduler_.find_wait_reason(t, now_).value().guarded_slot;
            EXPECT_TRUE(!slot || promised.insert(*slot).second) << "a slot is promised once";
        }
        for (const auto& [t, w] : waiting_)
            for (int slot = 0; slot < scheduler_.slots(); ++slot)
                EXPECT_FALSE(w.priority != priority::warming && is_open(slot, w) &&
                             !promised.contains(slot))
                    << "ticket " << t << " waits beside slot " << slot;
        const auto next = scheduler_.next_grant();
        EXPECT_TRUE(!next || *next > now_) << "what is due is granted";
    }

    bool is_open(int slot, const slot_request& w) {
        const auto& u = use(slot);
        if (u.busy || u.is_stuck || (u.used && now_ - *u.used < guard_)) return false;
        const auto owner = scheduler_.leased_to(slot);
        if (owner != nobody && owner == w.owner) return true;
        const bool is_shared = trouble_ == trouble::sharing && w.priority == priority::turn;
        if (owner != nobody && !is_shared) return false;
        int held = 0;
        for (int i = 0; i < scheduler_.slots(); ++i)
            held += w.owner != nobody && scheduler_.leased_to(i) == w.owner && !use(i).is_stuck;
        return w.lease == 0 || held < w.lease;
    }

    std::mt19937 random_;
    trouble trouble_;
    duration guard_;
    slot_scheduler scheduler_;
    std::vector<slot_use> slots_;
    std::map<owner_id, int> leases_;
    std::map<ticket, slot_request> waiting_;
    time_point now_ = at(0s);
    int grants_ = 0;
};

class slot_scheduler_property : public testing::TestWithParam<trouble> {};

TEST_P(slot_scheduler_property, holds_in_random_runs) {
    int grants = 0;
    for (unsigned seed = 1; seed <= 150 && !HasFailure(); ++seed) {
        SCOPED_TRACE(seed);
        random_owners run(seed, GetParam());
        run.go();
        grants += run.grants();
    }
    EXPECT_GT(grants, 3'000) << "the runs must try something";
}

INSTANTIATE_TEST_SUITE_P(leases, slot_scheduler_property,
                         testing::Values(trouble::none, trouble::stuck_slots, trouble::sharing));

}  // namespace
