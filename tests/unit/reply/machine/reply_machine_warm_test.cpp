#include "reply/machine/reply_machine.hpp"
#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Prefilling of the next slot while the voice speaks.
namespace {

using namespace std::chrono_literals;
using tandem::detail::reply_rules;
using tandem::test::machine_driver;
using testing::ElementsAre;
using testing::IsEmpty;

reply_rules warm_rules() {
    auto rules = machine_driver::default_rules();
    rules.pacing = tandem::detail::make_pacing_rules(tandem::pacing::warm, {});
    return rules;
}

class warm_reply : public testing::Test {
 protected:
    warm_reply() : d(warm_rules()) {}
    /// Reads tokens until the first chunk is handed over.
    void first_chunk() {
        d.begin();
        d.token("Hello", 11);
        d.token("!", 12);
        d.token(" How", 13);
    }
    void prefill(int slot) {
        d.grant_warm(slot);
        d.warmed();
    }

    machine_driver d;
};

TEST_F(warm_reply, wants_a_slot_to_prefill_once_the_chunk_is_handed_over) {
    first_chunk();
    EXPECT_THAT(d.wants(),
                ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence", "warm slot?"));
}

TEST_F(warm_reply, prefills_with_all_ids_but_the_last) {
    first_chunk();
    d.wants();
    d.grant_warm(1);
    EXPECT_THAT(d.wants(), ElementsAre("warm 1 101,11,12"));
    d.warmed();
    EXPECT_THAT(d.wants(), ElementsAre("close warm", "release 1, no use"));
    EXPECT_EQ(d.machine.warm_slot(), 1);
    d.go_on(0);
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("slot?", "send 1 n=-1 101,11,12,13"));
}

TEST_F(warm_reply, prefills_with_the_whole_text_where_ids_are_not_known) {
    d.prompt_ids.emplace();
    first_chunk();
    d.wants();
    d.grant_warm(1);
    EXPECT_THAT(d.wants(), ElementsAre("warm 1 'PHello! How'"));
}

TEST_F(warm_reply, waits_for_the_ids_before_it_prefills) {
    d.prompt_ids.reset();
    first_chunk();
    EXPECT_THAT(d.wants(),
                ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence", "tokenize"));
    d.tokenized({101});
    EXPECT_THAT(d.wants(), ElementsAre("warm slot?"));
}

TEST_F(warm_reply, prefills_once_a_rest) {
    first_chunk();
    prefill(1);
    d.ask();
    d.pass(5s);
    d.deadline();
    d.wants();
    d.tokenized({101});
    EXPECT_THAT(d.wants(), IsEmpty());
}

TEST_F(warm_reply, prefills_again_at_the_next_rest) {
    first_chunk();
    prefill(1);
    d.go_on(0);
    d.grant(1);
    d.ask();
    d.wants();
    d.tokens(" are", " you", "?", " I");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 1", "chunk 1 ' How are you?' sentence",
                                       "warm slot?"));
}

TEST_F(warm_reply, takes_its_wish_back_when_the_continue_comes_first) {
    first_chunk();
    d.wants();
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("warm slot no more", "slot?"));
    d.grant_warm(1);
    EXPECT_THAT(d.wants(), IsEmpty());
}

TEST_F(warm_reply, prefers_the_slot_that_is_being_prefilled) {
    first_chunk();
    d.grant_warm(1);
    d.wants();
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
    EXPECT_EQ(d.machine.warm_slot(), 1);
}

TEST_F(warm_reply, knows_no_prefilled_slot_once_the_text_has_grown) {
    first_chunk();
    prefill(1);
    d.go_on(0);
    d.grant(0);
    EXPECT_EQ(d.machine.warm_slot(), std::nullopt);
}

TEST_F(warm_reply, gives_a_slot_back_that_was_prefilled_too_late_and_prefills_again) {
    first_chunk();
    d.grant_warm(1);
    d.go_on(0);
    d.grant(0);
    d.ask();
    d.tokens(" are", " you", "?", " I");
    d.wants();
    d.warmed();
    EXPECT_THAT(d.wants(), ElementsAre("close warm", "release 1, no use", "warm slot?"));
}

TEST_F(warm_reply, cuts_the_prefilling_on_an_interrupt) {
    first_chunk();
    d.grant_warm(1);
    d.wants();
    d.interrupt();
    EXPECT_THAT(d.wants(), ElementsAre("close warm", "release 1, maybe busy", "end interrupted"));
}

TEST_F(warm_reply, takes_its_wish_back_on_an_interrupt) {
    first_chunk();
    d.wants();
    d.interrupt();
    EXPECT_THAT(d.wants(), ElementsAre("warm slot no more", "end interrupted"));
}

TEST_F(warm_reply, continues_as_if_nothing_was_prefilled_if_that_fails) {
    first_chunk();
    d.grant_warm(1);
    d.wants();
    d.machine.on_warming_failed(d.now, {tandem::errc::stream_incomplete, {}});
    EXPECT_THAT(d.wants(), ElementsAre("close warm", "release 1"));
    EXPECT_EQ(d.machine.warm_slot(), std::nullopt);
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
}

TEST_F(warm_reply, without_retries_leaves_a_server_that_is_away_to_the_next_request) {
    first_chunk();
    d.grant_warm(1);
    d.wants();
    d.machine.on_warming_failed(d.now, {tandem::errc::model_loading, {}});
    EXPECT_THAT(d.wants(), ElementsAre("close warm", "release 1"));
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
}

TEST_F(warm_reply, cuts_a_prefilling_that_takes_too_long) {
    auto rules = warm_rules();
    rules.first_token_timeout = 2s;
    machine_driver slow(rules);
    slow.begin();
    slow.tokens("Hello", "!", " How");
    slow.grant_warm(1);
    slow.machine.on_warming_started();
    slow.wants();
    slow.pass(2s - 1ns);
    slow.deadline();
    EXPECT_THAT(slow.wants(), IsEmpty());
    slow.pass(1ns);
    slow.deadline();
    EXPECT_THAT(slow.wants(), ElementsAre("close warm", "release 1, maybe busy"));
}

TEST_F(warm_reply, cuts_a_prefilling_that_the_server_does_not_begin) {
    first_chunk();
    d.grant_warm(1);
    d.go_on(0);
    d.wants();
    d.pass(500ms - 1ns);
    d.deadline();
    EXPECT_THAT(d.wants(), IsEmpty());
    d.pass(1ns);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("close warm", "release 1, maybe busy"));
}

TEST_F(warm_reply, tells_a_server_that_prefilled_another_slot) {
    first_chunk();
    d.grant_warm(1);
    d.wants();
    tandem::wire::token_event last;
    last.what = tandem::wire::token_event::kind::final;
    last.id_slot = 0;
    d.machine.on_warming_event(d.now, last);
    EXPECT_THAT(d.wants(), ElementsAre("slot 0 for 1", "close warm", "release 1, no use"));
}

TEST_F(warm_reply, prefills_nothing_if_its_tokens_are_used_up) {
    auto rules = warm_rules();
    rules.max_tokens = 3;
    machine_driver short_one(rules);
    short_one.begin();
    short_one.tokens("Hello", "!", " How");
    EXPECT_THAT(short_one.wants(), ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence"));
}

TEST_F(warm_reply, prefills_nothing_if_all_is_generated) {
    d.begin();
    d.tokens("Hello", "!");
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Hello!' end"));
}

TEST_F(warm_reply, prefills_nothing_on_a_server_with_one_slot) {
    d.ask();
    d.start(1);
    d.grant(0);
    d.wants();
    d.tokens("Hello", "!", " How");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence"));
}

TEST_F(warm_reply, counts_what_was_evaluated_for_it_apart) {
    first_chunk();
    d.grant_warm(1);
    d.warmed(14);
    d.interrupt();
    EXPECT_EQ(d.machine.result().usage.warmed, 14);
    EXPECT_EQ(d.machine.result().usage.evaluated, 0);
    EXPECT_EQ(d.machine.result().metrics.warmings, 1);
}

TEST(strict_reply, prefills_nothing) {
    machine_driver d;
    d.begin();
    d.tokens("Hello", "!", " How");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence"));
}

}  // namespace
