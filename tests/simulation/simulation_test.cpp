#include "simulation/simulation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

namespace {

using tandem::test::simulation;
using testing::IsEmpty;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
    const char* const text = std::getenv(variable);
    return text ? std::stoull(text) : otherwise;
}

// TANDEM_SIMULATION_SEED=N runs one seed again; TANDEM_SIMULATION_REPLIES=N runs that many.
TEST(simulation, keeps_every_promise_in_a_hundred_thousand_random_replies) {
    const auto first = number_from("TANDEM_SIMULATION_SEED", 1);
    const auto replies = std::getenv("TANDEM_SIMULATION_SEED")
                             ? 1
                             : number_from("TANDEM_SIMULATION_REPLIES", 100'000);
    std::uint64_t run = 0;
    std::uint64_t steps = 0;
    for (auto seed = first; run < replies; ++seed) {
        simulation s(seed);
        ASSERT_THAT(s.run(), IsEmpty()) << "run it again with TANDEM_SIMULATION_SEED=" << seed
                                        << " after " << s.steps() << " steps";
        run += s.replies();
        steps += s.steps();
    }
    std::cout << run << " replies, " << steps << " steps, seeds from " << first << "\n";
}

TEST(simulation, gives_the_same_run_for_the_same_seed) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        simulation one(seed);
        simulation other(seed);
        one.run();
        other.run();
        EXPECT_EQ(one.steps(), other.steps());
    }
}

}  // namespace
