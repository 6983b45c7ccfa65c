#include "simulation/run_settings.hpp"
#include "simulation/simulated_service.hpp"

#include <gtest/gtest.h>

namespace {

using tandem::test::simulated_service;

class service_shard : public testing::TestWithParam<int> {};

TEST_P(service_shard, keeps_every_promise_in_random_conversations) {
    tandem::test::run_seeds_of<simulated_service>(GetParam());
}
INSTANTIATE_TEST_SUITE_P(seeds, service_shard, testing::Range(0, tandem::test::simulation_shards));

TEST(service_simulation, tries_all_that_may_happen) {
    tandem::test::expect_to_happen<simulated_service>(
        {"a call is answered", "a circuit closes", "a circuit opens", "a conversation moves",
         "a fault", "a draft is committed", "a draft is dropped",
         "a draft stays at a server whose check failed", "a late result is words of the user",
         "a reply goes on", "a reply goes on at another server", "a reply is given up",
         "a reply that rests leaves its server", "a report comes too late", "a report counts",
         "a request is given up at a server that hangs",
         "a request ends for a reply that is due sooner", "a request runs on another slot",
         "a request waits for a guard", "a server is dropped",
         "a server that is asked about ids is away", "a turn begins with results",
         "a turn continues from a draft", "a turn goes to a server that hangs", "a turn is resumed",
         "a turn is resumed at another server", "a turn leaves a server that hangs",
         "a turn needs no server", "a whole turn is resumed", "exchanges are dropped",
         "ids reach a server that was started anew", "nothing to resume", "time leaps",
         // Ends of turns.
         "eos", "stop_word", "length", "interrupted", "bad_response", "between_tokens_timeout",
         "connect_failed", "continue_timeout", "first_token_timeout", "model_loading", "no_model",
         "prompt_too_long", "queue_full", "queue_timeout", "reply_timeout", "server_error",
         "server_gone", "stream_incomplete"});
}

TEST(service_simulation, gives_the_same_run_for_the_same_seed) {
    tandem::test::expect_the_same_run_for_the_same_seed<simulated_service>();
}

}  // namespace
