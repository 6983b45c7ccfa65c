#include "simulation/simulated_service.hpp"
#include "support/run_settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <set>
#include <string>

namespace {

using tandem::test::number_from;
using tandem::test::simulated_service;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// TANDEM_SIMULATION_SEED=N runs one seed again; TANDEM_SIMULATION_CONVERSATIONS=N runs that many.
TEST(service_simulation, keeps_every_promise_in_ten_thousand_random_conversations) {
    const auto first = number_from("TANDEM_SIMULATION_SEED", 1);
    const auto conversations = std::getenv("TANDEM_SIMULATION_SEED")
                                   ? 1
                                   : number_from("TANDEM_SIMULATION_CONVERSATIONS", 10'000);
    std::uint64_t run = 0;
    std::uint64_t steps = 0;
    for (auto seed = first; run < conversations; ++seed) {
        simulated_service s(seed);
        ASSERT_THAT(s.run(), IsEmpty()) << "run it again with TANDEM_SIMULATION_SEED=" << seed
                                        << " after " << s.steps() << " steps";
        run += s.conversations();
        steps += s.steps();
    }
    std::cout << run << " conversations, " << steps << " steps, seeds from " << first << "\n";
}

TEST(service_simulation, tries_all_that_may_happen) {
    std::set<std::string> happened;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        simulated_service s(seed);
        s.run();
        for (const auto& [what, times] : s.happened()) happened.insert(what);
    }
    EXPECT_THAT(
        happened,
        UnorderedElementsAre(
            "a conversation moves", "a leased slot is shared", "a report comes too late",
            "a report counts", "a request waits for a guard", "a server is dropped",
            "a turn is resumed", "a turn is resumed at another server", "a whole turn is resumed",
            "exchanges are dropped", "nothing to resume",
            // How turns end.
            "eos", "stop_word", "length", "interrupted", "between_tokens_timeout", "connect_failed",
            "continue_timeout", "first_token_timeout", "no_model", "prompt_too_long", "queue_full",
            "queue_timeout", "reply_timeout", "server_gone", "stream_incomplete"));
}

TEST(service_simulation, gives_the_same_run_for_the_same_seed) {
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        simulated_service one(seed);
        simulated_service other(seed);
        one.run();
        other.run();
        EXPECT_EQ(one.steps(), other.steps());
    }
}

}  // namespace
