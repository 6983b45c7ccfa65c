#include "contract/contract_fixture.hpp"

// The behavior of a slot, including after a cut of its request.
namespace tandem::testing {
namespace {

class slot_contract : public contract {};
TANDEM_CONTRACT(slot_contract);

TEST_P(slot_contract, a_slot_that_is_not_there_is_wrapped) {
    EXPECT_EQ(probe().complete(endless(2, 7))->final_event().at("id_slot"), 1);
    EXPECT_EQ(probe().complete(endless(2, 2))->final_event().at("id_slot"), 0);
}

TEST_P(slot_contract, a_request_for_a_busy_slot_gets_no_headers_until_it_is_free) {
    constexpr int length = 1000;
    const auto running = probe().start(endless(length));
    ASSERT_TRUE(probe().wait_for_events(*running, 1));
    const auto waiting = probe().start(endless(2));
    std::size_t events_before_headers = 0;
    waiting->when_begun = [&] { events_before_headers = running->events().size(); };
    ASSERT_TRUE(probe().wait_for_end(*waiting));
    // Expects only half of the events: when the client reads the headers on the second connection,
    // it may not have read all events on the first.
    EXPECT_GT(events_before_headers, length / 2);
}

TEST_P(slot_contract, two_slots_run_side_by_side) {
    const auto one = probe().start(endless(1000, 0));
    ASSERT_TRUE(probe().wait_for_events(*one, 1));
    const auto other = probe().start(endless(2, 1));
    ASSERT_TRUE(probe().wait_for_end(*other));
    EXPECT_FALSE(one->ended());
}

TEST_P(slot_contract, a_cut_frees_the_slot) {
    const auto running = probe().start(endless(2000));
    ASSERT_TRUE(probe().wait_for_events(*running, 3));
    running->cut();
    EXPECT_TRUE(probe().wait_until([this] { return slot_is_idle(0); }));
    const auto held = probe().get("/slots")->parsed().at(0).at("n_prompt_tokens").get<int>();
    EXPECT_LT(held, 1000) << "it kept generating";
}

TEST_P(slot_contract, a_cut_slot_takes_the_next_request_at_once) {
    const auto running = probe().start(endless(2000));
    ASSERT_TRUE(probe().wait_for_events(*running, 3));
    running->cut();
    const auto next = probe().complete(endless(2));
    EXPECT_EQ(next->status(), 200);
    EXPECT_EQ(next->final_event().at("id_slot"), 0);
}

TEST_P(slot_contract, a_cut_slot_keeps_its_tokens_for_the_continuation) {
    const auto& turn = talk_turn_of("soup-recipe");
    auto ids = probe().post("/tokenize", {{"content", turn.prompt}})->parsed().at("tokens");
    const auto first = probe().start(request_for(turn));
    ASSERT_TRUE(probe().wait_for_events(*first, 20));
    first->cut();
    for (std::size_t i = 0; i < 20; ++i) ids.push_back(first->events()[i].at("tokens").at(0));
    auto next = request_for(turn);
    next["prompt"] = ids;
    const auto second = probe().complete(next);
    const auto& timings = second->events().front().at("timings");
    EXPECT_EQ(timings.at("cache_n"), ids.size() - 1);
    EXPECT_EQ(timings.at("prompt_n"), 1);
}

TEST_P(slot_contract, the_same_prompt_again_is_cached_but_for_its_last_token) {
    const auto request = request_for(talk_turn_of("yes"), 1);
    probe().complete(request);
    const auto again = probe().complete(request);
    const auto& first = again->events().front();
    EXPECT_EQ(first.at("timings").at("cache_n"), first.at("tokens_evaluated").get<int>() - 1);
}

TEST_P(slot_contract, the_other_slot_knows_nothing_of_it) {
    probe().complete(request_for(talk_turn_of("yes"), 0));
    const auto other = probe().complete(request_for(talk_turn_of("yes"), 1));
    EXPECT_EQ(other->events().front().at("timings").at("cache_n"), 0);
}

}  // namespace
}  // namespace tandem::testing
