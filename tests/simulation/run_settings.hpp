#pragma once

#include "support/run_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <set>
#include <string>

// Code shared by all simulations. The template parameter Run is a simulation, which is constructed
// from a seed. Its run() returns the broken promises; steps(), course() and happened() describe the
// run.
namespace tandem::test {

/// The number of tests that run in parallel, each with its own seeds.
inline constexpr int simulation_shards = 4;

/// TANDEM_SIMULATION_STEPS=N sets the number of steps in all shards together.
inline std::uint64_t steps_of_a_shard() {
#ifdef NDEBUG
    constexpr std::uint64_t otherwise = 5'200'000;
#else
    constexpr std::uint64_t otherwise = 200'000;
#endif
    return number_from_environment("TANDEM_SIMULATION_STEPS", otherwise) / simulation_shards;
}

/// TANDEM_SIMULATION_SEED=N runs one seed again, in the first shard.
template <class Run>
void run_seeds_of(int shard) {
    constexpr std::uint64_t seeds_apart = 10'000'000;
    const bool only = std::getenv("TANDEM_SIMULATION_SEED") != nullptr;
    if (only && shard > 0) GTEST_SKIP();
    const auto first = number_from_environment("TANDEM_SIMULATION_SEED",
                                               1 + static_cast<std::uint64_t>(shard) * seeds_apart);
    const auto most = only ? 1 : steps_of_a_shard();
    std::uint64_t steps = 0;
    auto seed = first;
    for (; steps < most; ++seed) {
        Run r(seed);
        ASSERT_THAT(r.run(), testing::IsEmpty())
            << "run it again with TANDEM_SIMULATION_SEED=" << seed << " after " << r.steps()
            << " steps";
        steps += r.steps();
    }
    std::cout << seed - first << " runs, " << steps << " steps, seeds from " << first << "\n";
}

/// Runs up to 2,000 seeds until every event in `wanted` has happened.
template <class Run>
void expect_to_happen(const std::set<std::string>& wanted) {
    std::set<std::string> all;
    const auto has_happened = [&](const std::string& what) { return all.contains(what); };
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        Run r(seed);
        r.run();
        for (const auto& [what, times] : r.happened()) all.insert(what);
        if (std::ranges::all_of(wanted, has_happened)) return;
    }
    EXPECT_THAT(all, testing::IsSupersetOf(wanted));
}

template <class Run>
void expect_the_same_run_for_the_same_seed() {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Run one(seed);
        Run other(seed);
        one.run();
        other.run();
        EXPECT_EQ(one.course(), other.course());
        EXPECT_EQ(one.steps(), other.steps());
        EXPECT_EQ(one.happened(), other.happened());
    }
}

}  // namespace tandem::test
