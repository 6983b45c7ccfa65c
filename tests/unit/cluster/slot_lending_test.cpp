// Several gateways share the slots of a server through a store that follows the rules of the
// scripts (slot_ledger), in simulated time.

#include "simulated_fleet.hpp"
#include "support/run_settings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::test::fleet_counts;
using tandem::test::simulated_fleet;

constexpr int gateways = 3;
constexpr int slots = 8;
constexpr double half = 0.5;

duration mean_wait(const fleet_counts& c) {
    duration all{};
    for (const auto w : c.waits) all += w;
    return all / std::max<std::size_t>(c.waits.size(), 1);
}

TEST(slot_lending, keeps_waits_close_to_those_of_a_single_gateway) {
    for (const double load : {0.3, 0.5, 0.7, 0.9}) {
        simulated_fleet one(1, slots, 0s, 1);
        simulated_fleet three(gateways, slots, 0s, 1);
        for (auto* fleet : {&one, &three}) {
            fleet->run_until(fleet->now() + 10s, load);  // a new store is not trusted immediately
            fleet->forget_counts();
            fleet->run_until(fleet->now() + 1h, load);
        }
        EXPECT_EQ(three.counts().meetings, 0);
        EXPECT_LT(mean_wait(three.counts()), mean_wait(one.counts()) * 1.1 + 1ms) << load;
    }
}

TEST(slot_lending, keeps_the_guard_of_slots_that_change_gateways) {
    simulated_fleet f(gateways, slots, 2s, 2);
    f.run_until(f.now() + 10min, 0.15);
    EXPECT_EQ(f.counts().broken_guards, 0);
    EXPECT_EQ(f.counts().meetings, 0);
}

TEST(slot_lending, serves_everybody) {
    simulated_fleet f(gateways, slots, 0s, 3);
    f.run_until(f.now() + 1min, 1.5);
    EXPECT_GT(f.count_waiting(), 0);
    f.run_until(f.now() + 2min, 0);
    EXPECT_EQ(f.count_waiting(), 0);
}

/// A fault that ends before the next fault begins.
struct fault {
    std::string name;
    std::function<void(simulated_fleet&, int gateway, duration length)> happen;
    int meetings_allowed = 0;
    int broken_guards_allowed = 0;
};

void PrintTo(const fault& f, std::ostream* out) {
    *out << f.name;
}

const std::vector<fault> faults{
    {"killed_gateway", [](auto& f, int g, duration) { f.kill(g); }},
    {"lost_machine",
     [](auto& f, int g, duration) { f.kill(g, simulated_fleet::notice::by_lease); }},
    {"restarted_gateway", [](auto& f, int g, duration) { f.restart(g); }},
    {"suspended_gateway",
     [](auto& f, int g, duration length) {
         f.pause(g, length);
         f.run_until(f.now() + length, f.load());
     }},
    // A gateway that is cut off from the store does not learn which slots other gateways borrow, so
    // its requests may meet those of other gateways.
    {"gateway_cut_from_the_store",
     [](auto& f, int g, duration length) {
         f.cut(g);
         f.run_until(f.now() + length, f.load());
         f.reconnect(g);
     },
     5, 5},
    {"gateway_whose_connections_to_the_store_are_closed",
     [](auto& f, int g, duration length) {
         f.cut(g, simulated_fleet::notice::at_once);
         f.run_until(f.now() + length, f.load());
         f.reconnect(g);
     },
     5, 5},
    {"stopped_store",
     [](auto& f, int, duration length) {
         f.stop_store(true);
         f.run_until(f.now() + length, f.load());
         f.stop_store(false);
     },
     5},
    {"emptied_store", [](auto& f, int, duration) { f.empty_store(); }},
};

class faulty_fleet : public testing::TestWithParam<fault> {
 protected:
    static void run(simulated_fleet& f, double load) {
        constexpr int times = 50;
        for (int i = 0; i < times; ++i) {
            f.run_until(f.now() + 10s, load);
            GetParam().happen(f, i % gateways, (1 + i % 10) * 1s);
        }
        f.run_until(f.now() + 30s, 0);
    }
};

TEST_P(faulty_fleet, lets_hardly_any_requests_meet_on_a_slot) {
    simulated_fleet f(gateways, slots, 0s, 4);
    run(f, half);
    EXPECT_LE(f.counts().meetings, GetParam().meetings_allowed);
    EXPECT_LE(f.counts().max_meeting, 1s);
    EXPECT_EQ(f.count_waiting(), 0);
}

TEST_P(faulty_fleet, keeps_the_guard) {
    simulated_fleet f(gateways, slots, 2s, 5);
    run(f, 0.1);
    EXPECT_LE(f.counts().broken_guards, GetParam().broken_guards_allowed);
    EXPECT_EQ(f.count_waiting(), 0);
}

INSTANTIATE_TEST_SUITE_P(all, faulty_fleet, testing::ValuesIn(faults),
                         [](const auto& tested) { return tested.param.name; });

TEST(slot_lending, survives_faults_in_any_order) {
    std::mt19937 random(9);
    const auto below = [&](std::size_t n) { return static_cast<int>(random() % n); };
    simulated_fleet f(gateways, slots, 0s, 9);
    const auto steps = tandem::test::number_from_environment("TANDEM_FLEET_STEPS", 200'000);
    int times = 0;
    while (f.steps() < steps) {
        f.run_until(f.now() + 10s, half);
        const auto& next = faults[random() % faults.size()];
        SCOPED_TRACE(next.name);
        next.happen(f, below(gateways), (1 + below(10)) * 1s);
        ++times;
        ASSERT_LE(f.counts().meetings, 5 + times / 10);
        ASSERT_LE(f.counts().max_meeting, 1s);
        ASSERT_LE(f.count_waiting(), 20 * slots);
    }
    f.run_until(f.now() + 30s, 0);
    EXPECT_EQ(f.count_waiting(), 0);
}

TEST(slot_lending, serves_new_turns_while_the_store_is_away) {
    simulated_fleet f(gateways, slots, 0s, 6);
    f.run_until(f.now() + 30s, half);
    f.stop_store(true);
    f.run_until(f.now() + 5s, half);
    f.forget_counts();
    f.run_until(f.now() + 60s, half);
    auto waits = f.counts().waits;
    std::ranges::sort(waits);
    EXPECT_LT(waits[waits.size() / 2], 500ms);
    EXPECT_LT(waits[waits.size() * 99 / 100], 2s);
}

TEST(slot_lending, lends_the_slots_of_a_killed_gateway_after_a_second) {
    simulated_fleet f(2, slots, 0s, 8);
    f.run_until(f.now() + 30s, 0.9);
    f.forget_counts();
    for (int i = 0; i < 20; ++i) {
        f.kill(0);
        f.run_until(f.now() + 10s, half);
    }
    EXPECT_LT(std::ranges::max(f.counts().waits), 1500ms);
    EXPECT_EQ(f.counts().meetings, 0);
}

TEST(slot_lending, returns_the_slots_of_a_gateway_that_leaves) {
    simulated_fleet f(gateways, slots, 0s, 7);
    f.run_until(f.now() + 10s, half);
    f.leave(0);
    f.run_until(f.now() + 2s, half);
    EXPECT_EQ(f.count_slots(0), 0);
    f.forget_counts();
    f.run_until(f.now() + 60s, half);
    EXPECT_EQ(f.counts().meetings, 0);
}

}  // namespace
