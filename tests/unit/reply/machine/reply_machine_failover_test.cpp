// Replies that continue after a server failure.

#include "patient_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::errc;
using tandem::detail::reply_phase;
using tandem::test::machine_driver;
using tandem::test::patient_driver;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(reply_machine_failover, asks_for_the_rest_only_and_delivers_each_word_once) {
    patient_driver d;
    d.break_behind("Hello", " the");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "lost: stream_incomplete", "server?"));
    d.found();
    EXPECT_THAT(d.wants(), ElementsAre("check 101,7,7"));
    d.checked("PHello the");
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("send 1 n=-1 101,7,7"));
    d.tokens("re.", " How");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 1", "chunk 0 'Hello there.' sentence"));
    EXPECT_EQ(d.machine.text(), "PHello there. How");
}

TEST(reply_machine_failover, sends_text_if_the_ids_say_other_words) {
    patient_driver d;
    d.break_behind("Hello", " the");
    d.found_again("zebra crossing");
    d.grant(1);
    EXPECT_THAT(d.wants(), testing::Contains("send 1 n=-1 'PHello the'"));
}

TEST(reply_machine_failover, takes_ids_after_a_first_token_that_the_server_adds) {
    patient_driver d;
    d.break_behind("Hello", " the");
    d.found_again("<s>PHello the");
    d.grant(1);
    EXPECT_THAT(d.wants(), testing::Contains("send 1 n=-1 101,7,7"));
}

TEST(reply_machine_failover, starts_over_with_the_next_servers_prompt_if_nothing_was_read) {
    patient_driver d;
    d.begin();
    d.fail(errc::connect_failed);
    d.found(2, {.prompt = {.text = "Qrs", .ids = {55}, .bytes_with_ids = 1}});
    d.grant(1);
    EXPECT_THAT(d.wants(), testing::Contains("send 1 n=-1 55 'rs'"));
    d.tokens("Hello", ".", " How");
    EXPECT_EQ(d.machine.text(), "QrsHello. How");
}

TEST(reply_machine_failover, keeps_its_prompt_if_there_is_text) {
    patient_driver d;
    d.break_behind("Hello");
    d.found(2, {.prompt = {.text = "Qrs"}});
    EXPECT_EQ(d.machine.text(), "PHello");
}

TEST(reply_machine_failover, starts_again_if_nothing_was_read) {
    patient_driver d;
    d.begin();
    d.fail(errc::connect_failed);
    d.found();
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "lost: connect_failed", "server?",
                                       "slot?", "send 1 n=-1 'P'"));
}

TEST(reply_machine_failover, names_the_slot_that_failed_until_another_is_given) {
    patient_driver d;
    d.begin();
    d.token("Hello");
    d.fail(errc::server_error);
    EXPECT_EQ(d.machine.failed_slot(), 0);
    d.found_again("PHello");
    d.grant(1);
    EXPECT_EQ(d.machine.failed_slot(), std::nullopt);
}

TEST(reply_machine_failover, waits_for_a_server_that_is_away_as_long_as_the_listener_does) {
    patient_driver d;
    d.break_behind("Hello");
    const auto lost_at = d.now;
    d.wants();
    int tries = 0;
    while (!d.machine.ended()) {
        if (d.machine.phase() == reply_phase::seeking) d.not_found(errc::connect_failed);
        ASSERT_TRUE(d.machine.deadline());
        d.now = *d.machine.deadline();
        d.deadline();
        ++tries;
        if (d.machine.phase() == reply_phase::generated) d.go_on(0);
    }
    EXPECT_EQ(d.now, lost_at + 3s);
    EXPECT_EQ(d.error(), "connect_failed");
    EXPECT_THAT(d.words(), HasSubstr("resume_within of 3s"));
    EXPECT_GT(tries, 6);
    EXPECT_LT(tries, 30);
}

TEST(reply_machine_failover, is_in_no_hurry_while_the_voice_speaks) {
    patient_driver d;
    d.begin();
    d.tokens("Hello!", " How");
    d.leave(patient_driver::leave_kind::removed);
    d.pass(20s);
    d.not_found(errc::connect_failed);
    d.pause();
    EXPECT_FALSE(d.machine.ended());
    d.found_again("PHello! How");
    d.wants();
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
}

TEST(reply_machine_failover, gives_up_after_its_retries_without_new_text) {
    patient_driver d;
    d.begin();
    for (int i = 0; i < 2; ++i) {
        d.fail(errc::server_error);
        d.pause();
        d.found();
        d.grant(0);
    }
    d.fail(errc::server_error);
    EXPECT_TRUE(d.machine.ended());
    EXPECT_EQ(d.error(), "server_error");
    EXPECT_THAT(d.words(), HasSubstr("3 consecutive failed requests"));
}

TEST(reply_machine_failover, ends_at_once_if_the_same_would_fail_again) {
    for (const auto code : {errc::unauthorized, errc::bad_request, errc::prompt_too_long}) {
        patient_driver d;
        d.begin();
        d.fail(code);
        EXPECT_TRUE(d.machine.ended());
        EXPECT_EQ(d.error(), tandem::error_name(code));
    }
}

TEST(reply_machine_failover, looks_for_a_first_server_as_long_as_the_listener_waits) {
    patient_driver d;
    d.ask();
    d.machine.start(d.now);
    EXPECT_THAT(d.wants(), ElementsAre("server?"));
    d.not_found(errc::model_loading);
    EXPECT_THAT(d.wants(), ElementsAre("lost: model_loading", "server?"));
    d.not_found(errc::model_loading);
    d.now = *d.machine.deadline();
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("server?"));
    d.machine.on_server_found(d.now, 2, {.prompt = {.text = "P"}});
    d.grant(0);
    EXPECT_THAT(d.wants(), ElementsAre("slot?", "send 0 n=-1 'P'"));
}

TEST(reply_machine_failover, continues_elsewhere_when_no_token_comes) {
    patient_driver d;
    d.begin();
    d.token("Hello");
    d.pass(10s);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("late: between_tokens_timeout", "close", "release 0",
                                       "lost: between_tokens_timeout", "server?"));
}

TEST(reply_machine_failover, delivers_a_held_sentence_while_it_looks_for_a_server) {
    patient_driver d;
    d.break_behind("Hello.");
    d.wants();
    d.pass(250ms);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'Hello.' sentence"));
    d.found();
    d.wants();
    d.checked("PHello.");
    EXPECT_THAT(d.wants(), IsEmpty()) << "nothing is requested before the continue";
    d.go_on(0);
    EXPECT_THAT(d.wants(), testing::Contains("slot?"));
}

TEST(reply_machine_failover, keeps_the_sentence_back_if_another_server_is_there_at_once) {
    patient_driver d;
    d.break_behind("It is 3.");
    d.found_again("PIt is 3.");
    d.grant(1);
    d.wants();
    d.tokens("14.", " Yes");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 1", "chunk 0 'It is 3.14.' sentence"));
}

TEST(reply_machine_failover, asks_for_lost_ids_at_the_new_server) {
    patient_driver d;
    d.begin();
    d.token("\xC3\xA9", 169, 1);
    d.fail(errc::stream_incomplete);
    EXPECT_THAT(d.wants(), testing::Not(testing::Contains(HasSubstr("recover"))));
    d.found();
    EXPECT_THAT(d.wants(), ElementsAre("recover \xC3\xA9"));
    d.recovered({195, 169, 0});
    EXPECT_THAT(d.wants(), ElementsAre("check 101,195,169"));
}

TEST(reply_machine_failover, reports_why_a_constrained_reply_cannot_continue) {
    auto rules = patient_driver::patient_rules();
    rules.is_constrained = true;
    patient_driver d(rules);
    d.break_behind("{");
    EXPECT_TRUE(d.machine.ended());
    EXPECT_EQ(d.error(), "stream_incomplete");
    EXPECT_THAT(d.words(), HasSubstr("constrained by a grammar"));
}

TEST(reply_machine_failover, reports_how_often_it_happened) {
    patient_driver d;
    d.break_behind("Hello");
    d.found_again("PHello");
    d.grant(1);
    d.final();
    d.go_on(0);
    EXPECT_EQ(d.machine.result().metrics.retries, 1);
}

TEST(reply_machine_failover, ends_a_reply_that_takes_too_long_as_a_whole) {
    auto rules = patient_driver::patient_rules();
    rules.reply_timeout = 5s;
    patient_driver d(rules);
    d.begin();
    d.token("Hello");
    d.pass(5s);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "end reply_timeout"));
}

TEST(reply_machine_failover, reports_the_breaker_of_a_limit_that_ends_the_reply_too) {
    machine_driver d;
    d.begin();
    d.token("Hello");
    d.pass(10s);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("late: between_tokens_timeout", "close", "release 0",
                                       "end between_tokens_timeout"));
}

TEST(reply_machine_failover, ends_whole_if_all_is_said_and_the_last_chunk_is_spoken) {
    auto rules = patient_driver::patient_rules();
    rules.reply_timeout = 5s;
    patient_driver d(rules);
    d.begin();
    d.token("Hello.");
    d.final();
    d.wants();
    d.pass(5s);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("end eos"));
}

TEST(reply_machine_failover, ends_whole_if_only_the_final_event_was_lost) {
    auto rules = patient_driver::patient_rules();
    rules.max_tokens = 2;
    patient_driver d(rules);
    d.break_behind("Hello", " you");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Hello you' end"));
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("end length"));
}

TEST(reply_machine_failover, is_no_whole_reply_if_the_next_server_has_a_smaller_context) {
    patient_driver d;
    d.break_behind("Hello", " the");
    d.wants();
    d.machine.set_server_url("http://other");
    d.found_again("PHello the");
    d.grant(0);
    d.fail(errc::prompt_too_long);
    EXPECT_EQ(d.error(), "prompt_too_long");
}

TEST(reply_machine_failover, is_a_whole_reply_if_the_context_was_full_when_the_connection_broke) {
    patient_driver d;
    d.break_behind("Hello", " the");
    d.found_again("PHello the");
    d.grant(0);
    d.fail(errc::prompt_too_long);
    d.go_on(0);
    EXPECT_THAT(d.wants(), testing::Contains("end length"));
}

TEST(reply_machine_failover, gives_a_chunk_its_time_once_the_voice_has_spoken) {
    auto rules = patient_driver::patient_rules();
    rules.chunk_deadline = 500ms;
    patient_driver d(rules);
    d.begin();
    d.tokens("Hello!", " The", " answer,");
    d.wants();
    d.leave(patient_driver::leave_kind::removed);
    d.found_again("PHello! The");
    d.pass(5s);
    d.go_on(0);
    d.wants();
    d.pass(400ms);
    d.deadline();
    EXPECT_EQ(d.machine.phase(), reply_phase::queued);
}

TEST(reply_machine_failover, is_due_at_once_when_the_voice_has_spoken) {
    auto rules = patient_driver::patient_rules();
    rules.pacing = tandem::detail::make_pacing_rules(tandem::pacing::ahead, {});
    patient_driver d(rules);
    d.break_behind("Hello.", " you");
    d.found_again("PHello. you");
    d.wants();
    EXPECT_GT(d.machine.speech_runs_out_at(d.now), d.now);
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("slot, due 0 ms"));
}

// With the ids, the next server continues from the tokens that were generated. It might split the
// text into other tokens.
TEST(reply_machine_failover, keeps_its_ids_if_the_next_server_is_away_too) {
    patient_driver d;
    d.break_behind("Hello", " you");
    d.found();
    d.wants();
    EXPECT_TRUE(d.machine.on_ids_request_failed(d.now, {errc::connect_failed, {}}));
    EXPECT_EQ(d.machine.phase(), reply_phase::seeking);
    d.pause();
    d.found_again("PHello you");
    d.grant(0);
    EXPECT_TRUE(d.machine.next_prompt().as_ids());
}

TEST(reply_machine_failover,
     keeps_its_ids_if_the_next_server_dies_before_it_reports_what_they_say) {
    patient_driver d;
    d.break_behind("Hello", " you");
    d.found();
    d.wants();
    EXPECT_TRUE(d.machine.on_ids_request_failed(d.now, {errc::stream_incomplete, {}}));
    EXPECT_EQ(d.machine.phase(), reply_phase::seeking);
}

TEST(reply_machine_failover, asks_no_other_server_if_one_cannot_report_what_ids_say) {
    for (const auto code : {errc::not_supported, errc::server_error}) {
        patient_driver d;
        d.break_behind("Hello", " you");
        d.found();
        d.wants();
        EXPECT_FALSE(d.machine.on_ids_request_failed(d.now, {code, {}}));
        d.checked("");
        d.grant(0);
        EXPECT_FALSE(d.machine.next_prompt().as_ids());
    }
}

TEST(reply_machine_failover, does_without_ids_at_its_last_try_if_no_server_reports_what_they_say) {
    patient_driver d;  // allows two retries
    d.break_behind("Hello", " you");
    d.found();
    EXPECT_TRUE(d.machine.on_ids_request_failed(d.now, {errc::stream_incomplete, {}}));
    d.pause();
    d.found();
    d.wants();
    EXPECT_FALSE(d.machine.on_ids_request_failed(d.now, {errc::stream_incomplete, {}}));
    d.checked("");
    d.grant(0);
    EXPECT_FALSE(d.machine.next_prompt().as_ids());
}

TEST(reply_machine_failover, ends_if_each_server_is_away_for_too_long) {
    patient_driver d;
    d.break_behind("Hello", " you");
    for (int i = 0; i < 100 && !d.machine.ended(); ++i) {
        d.wants();
        if (d.machine.phase() == reply_phase::seeking) {
            d.found();
            d.machine.on_ids_request_failed(d.now, {errc::connect_failed, {}});
        }
        d.pass(100ms);
        d.deadline();
    }
    EXPECT_TRUE(d.machine.ended());
    EXPECT_EQ(d.error(), "connect_failed");
}

TEST(reply_machine_failover, asks_for_no_ids_again_that_were_of_no_use) {
    patient_driver d;
    d.prompt_ids.reset();
    d.break_behind("Hello", " you");
    d.found();
    d.tokenized({101});
    d.checked("other words");
    d.grant(1);
    d.token(" and");
    d.fail(errc::stream_incomplete);
    d.wants();
    d.found();
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
}

TEST(reply_machine_failover, keeps_the_deadline_of_a_chunk_while_it_waits_for_a_slot) {
    auto rules = patient_driver::patient_rules();
    rules.chunk_deadline = 500ms;
    patient_driver d(rules);
    d.break_behind("Hello,", " you", " and");
    d.found_again("PHello, you and");
    d.wants();
    d.pass(500ms);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'Hello,' clause", "slot no more"));
    d.machine.on_slot_wait_cancelled(500ms);
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
    d.interrupt();
    EXPECT_EQ(d.machine.result().metrics.guard_waits, 1);
}

TEST(reply_machine_failover,
     leaves_no_ids_of_a_text_whose_prompt_the_next_server_does_not_tokenize) {
    patient_driver d;
    d.prompt_ids.reset();
    d.break_behind("Hello", " the");
    d.found();
    d.wants();
    d.tokenized({});
    d.grant(1);
    d.wants();
    d.interrupt();
    auto rest = d.machine.take_remainder();
    rest.text.on_prompt_tokenized({101});
    EXPECT_THAT(rest.text.next_prompt().ids, IsEmpty());
}

// Another turn starts from this remainder, possibly on a server where the ids stand for other
// words.
TEST(reply_machine_failover, leaves_no_ids_that_the_next_server_has_not_proven) {
    for (const bool is_found : {false, true}) {
        patient_driver d;
        d.begin();
        d.tokens("Hello", " the");
        d.fail(errc::stream_incomplete);
        d.wants();
        if (is_found) d.found();
        d.wants();
        d.interrupt();
        const auto rest = d.machine.take_remainder();
        EXPECT_THAT(rest.text.next_prompt().ids, IsEmpty());
        EXPECT_EQ(rest.text.next_prompt().text, "PHello the");
    }
}

TEST(reply_machine_failover, prefills_no_slot_for_a_reply_that_has_failed) {
    auto rules = machine_driver::default_rules();
    rules.pacing = tandem::detail::make_pacing_rules(tandem::pacing::warm, {});
    patient_driver d(rules);
    d.begin();
    d.tokens("Hello!", " I");
    d.grant_warm(1);
    d.wants();
    d.leave(patient_driver::leave_kind::removed);
    EXPECT_THAT(d.wants(), testing::Contains("close warm"));
}

}  // namespace
