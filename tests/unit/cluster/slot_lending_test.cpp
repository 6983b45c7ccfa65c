// Several gateways share the slots of a server through a store that follows the rules of the
// scripts (slot_ledger), in simulated time.

#include "simulated_fleet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::test::fleet_counts;
using tandem::test::simulated_fleet;

double percentile(std::vector<duration> all, double share) {
    if (all.empty()) return 0;
    std::ranges::sort(all);
    const auto place = static_cast<std::size_t>(share * static_cast<double>(all.size() - 1));
    return std::chrono::duration<double, std::milli>(all[place]).count();
}

void print(const char* name, const fleet_counts& c) {
    std::printf(
        "%s: %d requests, %d met, longest %.0f ms, %d guards broken, waits p50 %.2f p99 %.1f max "
        "%.0f\n",
        name, c.requests, c.meetings,
        std::chrono::duration<double, std::milli>(c.longest_meeting).count(), c.broken_guards,
        percentile(c.waits, 0.5), percentile(c.waits, 0.99), percentile(c.waits, 1));
}

TEST(slot_lending, p) {
    for (const double load : {0.3, 0.5, 0.7, 0.9}) {
        simulated_fleet one(1, 8, 0s, 1);
        one.run_until(one.now() + 10min, load);
        print("one", one.counts());
        simulated_fleet f(3, 8, 0s, 1);
        f.run_until(f.now() + 10min, load);
        print("three", f.counts());
    }
    for (const auto guard : {0s, 2s}) {
        simulated_fleet f(3, 8, guard, 2);
        for (int i = 0; i < 50; ++i) {
            f.run_until(f.now() + 10s, guard > 0s ? 0.1 : 0.5);
            f.kill(i % 3);
        }
        print("kill", f.counts());
    }
    for (const auto guard : {0s, 2s}) {
        simulated_fleet f(3, 8, guard, 2);
        for (int i = 0; i < 50; ++i) {
            f.run_until(f.now() + 10s, guard > 0s ? 0.1 : 0.5);
            f.pause(i % 3, 1s + (i % 10) * 1s);
        }
        print("pause", f.counts());
    }
    for (const auto guard : {0s, 2s}) {
        simulated_fleet f(3, 8, guard, 2);
        for (int i = 0; i < 50; ++i) {
            f.run_until(f.now() + 10s, guard > 0s ? 0.1 : 0.5);
            f.cut(i % 3, true);
            f.run_until(f.now() + 1s + (i % 10) * 1s, guard > 0s ? 0.1 : 0.5);
            f.cut(i % 3, false);
        }
        print("cut", f.counts());
    }
    for (const auto guard : {0s, 2s}) {
        simulated_fleet f(3, 8, guard, 2);
        for (int i = 0; i < 50; ++i) {
            f.run_until(f.now() + 10s, guard > 0s ? 0.1 : 0.5);
            f.stop_store(true);
            f.run_until(f.now() + 1s + (i % 10) * 1s, guard > 0s ? 0.1 : 0.5);
            f.stop_store(false);
        }
        print("stop", f.counts());
    }
    for (const auto guard : {0s, 2s}) {
        simulated_fleet f(3, 8, guard, 2);
        for (int i = 0; i < 50; ++i) {
            f.run_until(f.now() + 10s, guard > 0s ? 0.1 : 0.5);
            f.empty_store();
        }
        print("empty", f.counts());
    }
}

}  // namespace
