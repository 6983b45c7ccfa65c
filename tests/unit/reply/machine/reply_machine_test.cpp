#include "reply/machine/reply_machine.hpp"

#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::errc;
using tandem::finish_reason;
using tandem::detail::reply_phase;
using tandem::test::machine_driver;
using tandem::wire::stop_type;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(reply_machine, starts_with_the_prompt_as_text) {
    machine_driver d;
    d.start();
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
    d.grant(0);
    EXPECT_THAT(d.wants(), ElementsAre("send 0 n=-1 'P'"));
}

TEST(reply_machine, asks_for_the_prompts_ids_once_at_the_first_cut) {
    machine_driver d;
    d.prompt_ids.reset();
    d.begin();
    d.tokens("Hello", "!", " How");
    EXPECT_THAT(d.wants(),
                ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence", "tokenize"));
    d.tokenized({101});
    d.ask();
    d.go_on(0);
    d.grant(1);
    d.wants();
    d.tokens(" are", " you", "?", " I");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 1", "chunk 1 ' How are you?' sentence"));
}

TEST(reply_machine, cuts_at_the_peek_and_then_delivers_the_sentence) {
    machine_driver d;
    d.begin();
    d.tokens("Hello", "!");
    EXPECT_THAT(d.wants(), IsEmpty());
    d.token(" How");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence"));
}

TEST(reply_machine, requests_nothing_before_continue) {
    machine_driver d;
    d.begin();
    d.tokens("Hello", "!", " How");
    d.wants();
    d.ask();
    d.pass(5s);
    d.deadline();
    EXPECT_THAT(d.wants(), IsEmpty());
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
}

TEST(reply_machine, continues_from_the_ids_of_prompt_and_text_so_far_the_peek_included) {
    machine_driver d;
    d.begin();
    d.token("Hello", 11);
    d.token("!", 12);
    d.token(" How", 13);
    d.go_on(0);
    d.wants();
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("send 1 n=-1 101,11,12,13"));
}

TEST(reply_machine, carries_the_peek_into_the_next_chunk) {
    machine_driver d;
    d.begin();
    d.tokens("Hello", "!", " How");
    d.go_on(0);
    d.grant(1);
    d.ask();
    d.wants();
    d.tokens(" are", " you", "?", " I");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 1", "chunk 1 ' How are you?' sentence"));
}

TEST(reply_machine, continues_as_text_if_the_prompt_could_not_be_tokenised) {
    machine_driver d;
    d.prompt_ids.emplace();
    d.begin();
    d.tokens("Hello", "!", " How");
    d.go_on(0);
    d.wants();
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("send 1 n=-1 'PHello! How'"));
}

TEST(reply_machine, continues_as_text_if_the_server_counted_other_prompt_tokens) {
    machine_driver d;
    d.prompt_tokens = 2;
    d.begin();
    d.tokens("Hello", "!", " How");
    d.go_on(0);
    d.wants();
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("send 1 n=-1 'PHello! How'"));
}

TEST(reply_machine, continues_as_text_when_the_prompts_ids_do_not_come_in_time) {
    machine_driver d;
    d.prompt_ids.reset();
    d.begin();
    d.tokens("Hello", "!", " How");
    d.go_on(0);
    d.wants();
    d.pass(500ms - 1ns);
    d.deadline();
    EXPECT_THAT(d.wants(), IsEmpty());
    d.pass(1ns);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("send 1 n=-1 'PHello! How'"));
}

TEST(reply_machine, loses_no_text_that_comes_with_the_final_event) {
    machine_driver d;
    d.begin();
    d.token("Bye");
    tandem::wire::token_event last;
    last.what = tandem::wire::token_event::kind::final;
    last.content = " now.";
    last.stop = stop_type::eos;
    d.machine.on_event_read(d.now, last);
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Bye now.' end"));
}

TEST(reply_machine, waits_for_the_prompts_ids_before_the_second_request) {
    machine_driver d;
    d.prompt_ids.reset();
    d.begin();
    d.token("Hello", 11);
    d.token("!", 12);
    d.token(" How", 13);
    d.wants();
    d.go_on(0);
    EXPECT_THAT(d.wants(), IsEmpty());
    d.tokenized({101});
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
}

TEST(reply_machine, asks_for_lost_ids_at_the_cut_and_continues_with_them) {
    machine_driver d;
    d.begin();
    d.token("\xC3\xA9", 169, 1);
    d.token("!", 12);
    d.token(" How", 13);
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 '\xC3\xA9!' sentence",
                                       "recover \xC3\xA9"));
    d.go_on(0);
    EXPECT_THAT(d.wants(), IsEmpty());
    d.recovered({195, 169, 0});
    d.wants();
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("send 1 n=-1 101,195,169,12,13"));
}

TEST(reply_machine, continues_as_text_where_lost_ids_are_unavailable) {
    machine_driver d;
    d.begin();
    d.token("\xC3\xA9", 169, 1);
    d.tokens("!", " How");
    d.go_on(0);
    d.recovered({});
    d.wants();
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("send 1 n=-1 'P\xC3\xA9! How'"));
}

TEST(reply_machine, ends_after_the_continue_of_the_last_chunk) {
    machine_driver d;
    d.begin();
    d.tokens("Bye", ".");
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Bye.' end"));
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("end eos"));
    EXPECT_EQ(d.machine.result().text, "Bye.");
}

TEST(reply_machine, ends_when_the_consumer_asks_for_more_than_the_last_chunk) {
    machine_driver d;
    d.begin();
    d.token("Bye.");
    d.final();
    d.wants();
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("end eos"));
}

TEST(reply_machine, ends_without_error_when_only_the_last_continue_is_missing) {
    machine_driver d;
    d.begin();
    d.token("Bye.");
    d.final();
    d.wants();
    d.pass(30s);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("end eos"));
}

TEST(reply_machine, ends_an_empty_reply_at_once) {
    machine_driver d;
    d.begin();
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "end eos"));
}

TEST(reply_machine, ends_when_the_next_request_brings_nothing_more) {
    machine_driver d;
    d.begin();
    d.tokens("Hello", "!");
    d.pass(250ms);
    d.deadline();
    d.go_on(0);
    d.grant(1);
    d.wants();
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 1", "end eos"));
}

struct end_row {
    stop_type stop;
    const char* end;
};
class reply_machine_end : public testing::TestWithParam<end_row> {};

TEST_P(reply_machine_end, has_the_reason_that_the_server_gives) {
    machine_driver d;
    d.begin();
    d.final(GetParam().stop);
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", GetParam().end));
}
INSTANTIATE_TEST_SUITE_P(table, reply_machine_end,
                         testing::Values(end_row{stop_type::eos, "end eos"},
                                         end_row{stop_type::word, "end stop_word"},
                                         end_row{stop_type::limit, "end length"},
                                         end_row{stop_type::none, "end eos"}));

TEST(reply_machine, delivers_a_chunk_only_when_the_consumer_asks) {
    machine_driver d;
    d.start();
    d.grant(0);
    d.wants();
    d.tokens("Hello", "!", " How");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0"));
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'Hello!' sentence"));
}

TEST(reply_machine, keeps_a_chunk_for_the_next_call_when_the_consumer_takes_its_wish_back) {
    machine_driver d;
    d.begin();
    d.machine.on_chunk_request_withdrawn();
    d.tokens("Hello", "!", " How");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0"));
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'Hello!' sentence"));
}

TEST(reply_machine, ignores_stale_early_and_foreign_continues) {
    machine_driver d;
    d.begin();
    d.go_on(0);  // not handed over yet
    d.tokens("Hello", "!", " How");
    d.wants();
    d.go_on(1);                              // does not exist yet
    d.machine.on_continued(d.now, {99, 0});  // of another reply
    EXPECT_THAT(d.wants(), IsEmpty());
    d.go_on(0);
    d.go_on(0);  // repeated
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
}

TEST(reply_machine, takes_the_boundary_when_the_peek_does_not_come_in_time) {
    machine_driver d;
    d.begin();
    d.tokens("Hello", "!");
    d.pass(249ms);
    d.deadline();
    EXPECT_THAT(d.wants(), IsEmpty());
    d.pass(1ms);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence"));
}

TEST(reply_machine, does_not_wait_for_a_peek_without_peek_hold) {
    auto rules = machine_driver::default_rules();
    rules.peek_hold = 0s;
    machine_driver d(rules);
    d.begin();
    d.tokens("Hello", "!");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence"));
}

TEST(reply_machine, peeks_past_tokens_without_text) {
    machine_driver d;
    d.begin();
    d.tokens("Hello", "!", "", "");
    EXPECT_EQ(d.machine.phase(), reply_phase::holding);
    d.token(" How");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence"));
}

// The server may withhold the text of a token that may begin a stop word. If the next request
// continued from the token's id, the text would be lost.
TEST(reply_machine, does_not_keep_ids_whose_text_has_not_come) {
    machine_driver d;
    d.begin();
    d.token("Hello", 11);
    d.token("!", 12);
    d.token("", 13);
    d.pass(250ms);
    d.deadline();
    d.go_on(0);
    d.wants();
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("send 1 n=-1 101,11,12"));
}

TEST(reply_machine, keeps_the_ids_of_withheld_text_once_it_comes) {
    machine_driver d;
    d.begin();
    d.token("", 11);
    d.token("STOy!", 12);
    d.token(" x", 13);
    d.go_on(0);
    d.wants();
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("send 1 n=-1 101,11,12,13"));
}

TEST(reply_machine, asks_for_no_more_tokens_than_are_left) {
    auto rules = machine_driver::default_rules();
    rules.max_tokens = 10;
    machine_driver d(rules);
    d.ask();
    d.start();
    d.wants();
    d.grant(0);
    EXPECT_THAT(d.wants(), ElementsAre("send 0 n=10 'P'"));
    d.tokens("Hello", "!", " How");
    d.go_on(0);
    d.wants();
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("send 1 n=7 101,7,7,7"));
}

TEST(reply_machine, ends_with_length_when_the_cut_used_the_last_token_up) {
    auto rules = machine_driver::default_rules();
    rules.max_tokens = 3;
    machine_driver d(rules);
    d.begin();
    d.tokens("Hello", "!", " How");
    d.wants();
    d.ask();
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' How' end"));
    d.go_on(1);
    EXPECT_THAT(d.wants(), ElementsAre("end length"));
}

TEST(reply_machine, ends_with_length_when_a_continuation_fills_the_context) {
    machine_driver d;
    d.begin();
    d.tokens("Hello", "!", " How");
    d.ask();
    d.go_on(0);
    d.grant(1);
    d.wants();
    d.fail(errc::prompt_too_long);
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 1", "chunk 1 ' How' end"));
    d.go_on(1);
    EXPECT_THAT(d.wants(), ElementsAre("end length"));
}

TEST(reply_machine, fails_when_the_prompt_itself_fills_the_context) {
    machine_driver d;
    d.begin();
    d.fail(errc::prompt_too_long);
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "end prompt_too_long"));
}

TEST(reply_machine, reports_how_a_request_failed_and_what_was_handed_over) {
    machine_driver d;
    d.begin();
    d.tokens("Hello", "!", " How");
    d.ask();
    d.go_on(0);
    d.grant(1);
    d.token(" are");
    d.wants();
    d.fail(errc::stream_incomplete);
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 1", "end stream_incomplete"));
    EXPECT_EQ(d.machine.result().finish_reason, finish_reason::error);
    EXPECT_EQ(d.machine.result().diagnostics.client_message, "it failed");
    EXPECT_EQ(d.machine.result().text, "Hello!");
    EXPECT_EQ(d.machine.result().unspoken_text, " How are");
}

}  // namespace
