#include "reply/machine/reply_machine.hpp"
#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::detail::reply_rules;
using tandem::test::machine_driver;
using testing::ElementsAre;
using testing::IsEmpty;

reply_rules speech_rules() {
    auto r = machine_driver::default_rules();
    r.reasoning_tags = {{"<think>", "</think>"}};
    r.speech.form = tandem::speech_form::clean;
    return r;
}

// The rules of conversation::stream().
auto reader_rules() {
    auto rules = speech_rules();
    rules.pacing = tandem::detail::uncut;
    rules.hands_over_reasoning = true;
    return rules;
}

TEST(reply_machine_speech, keeps_reasoning_for_the_next_request_only) {
    machine_driver d(speech_rules());
    d.prompt_ids.reset();
    d.begin();
    d.tokens("<think>", "Hm.", "</think>", "\n\n", "Hello", "!", " How");
    EXPECT_THAT(d.wants(),
                ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence", "tokenize"));
    d.tokenized({});
    d.go_on(0);
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("slot?", "send 1 n=-1 'P<think>Hm.</think>\n\nHello! How'"));
}

TEST(reply_machine_speech, hides_the_start_if_the_prompt_opened_a_reasoning) {
    machine_driver d(speech_rules(), {.first_min_tokens = 0}, "P<think>\n");
    d.begin();
    d.tokens("Hm.", " So.", "</think>", "Hello", "!", " How");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence"));
}

TEST(reply_machine_speech, gives_no_chunk_for_a_reply_that_is_all_reasoning) {
    machine_driver d(speech_rules());
    d.begin();
    d.tokens("<think>", "Hm.");
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "end eos"));
    EXPECT_EQ(d.machine.result().text, "");
}

TEST(reply_machine_speech, reports_the_reasoning_in_its_result) {
    machine_driver d(speech_rules());
    d.begin();
    d.tokens("<think>", "\nHm.", " So.", "</think>", "Hello");
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Hello' end"));
    EXPECT_EQ(d.machine.result().reasoning, "Hm. So.");
}

TEST(reply_machine_speech, delivers_reasoning_as_it_comes_to_who_reads_it) {
    machine_driver d(reader_rules());
    d.begin();
    d.tokens("<think>", "Hm.");
    EXPECT_THAT(d.wants(), ElementsAre("thought 0 'Hm.'"));
    d.tokens(" So", "!", "</think>");
    EXPECT_THAT(d.wants(), IsEmpty()) << "the previous thought has not been taken";
    d.go_on(0);
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("thought 1 ' So!'"));
    d.tokens("Hello", "!", " How");
    d.go_on(1);
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("chunk 2 'Hello!' sentence"));
    d.pass(70ms);
    d.final();
    d.go_on(2);
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 3 ' How' end"));
    d.go_on(3);
    d.ask();
    EXPECT_EQ(d.machine.result().reasoning, "Hm. So!");
    EXPECT_EQ(d.machine.result().metrics.chunks, 2) << "thoughts do not count as chunks";
}

// --- prompts

tandem::wire::token_event progress_to(int evaluated) {
    tandem::wire::token_event e;
    e.what = tandem::wire::token_event::kind::progress;
    e.prompt_tokens = 100;
    e.timings = {.cached = 10, .evaluated = evaluated};
    e.has_timings = true;
    return e;
}

TEST(reply_machine_speech, tells_a_reader_that_a_long_prompt_is_being_evaluated) {
    machine_driver d(reader_rules());
    d.begin();
    d.machine.on_event_read(d.now, progress_to(0));
    EXPECT_THAT(d.wants(), IsEmpty()) << "it has begun";
    d.machine.on_event_read(d.now, progress_to(40));
    EXPECT_THAT(d.wants(), ElementsAre("thought 0 ''"));
    d.machine.on_event_read(d.now, progress_to(60));
    d.machine.on_event_read(d.now, progress_to(80));
    d.go_on(0);
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("thought 1 ''")) << "one for all progress since then";
    d.machine.on_event_read(d.now, progress_to(90));
    d.go_on(1);
    d.ask();
    EXPECT_THAT(d.wants(), IsEmpty()) << "its first token comes next";
}

TEST(reply_machine_speech, tells_a_voice_nothing_of_the_prompt) {
    machine_driver d(speech_rules());
    d.begin();
    d.machine.on_event_read(d.now, progress_to(40));
    EXPECT_THAT(d.wants(), IsEmpty());
}

TEST(reply_machine_speech, reports_the_reasoning_that_an_interrupt_left_behind) {
    machine_driver d(speech_rules());
    d.begin();
    d.tokens("<think>", "Hm. 2 </th");
    d.interrupt();
    EXPECT_EQ(d.machine.result().reasoning, "Hm. 2 </th");
}

TEST(reply_machine_speech, ends_with_its_last_text_though_reasoning_comes_after_it) {
    machine_driver d(reader_rules(),
                     {.first_min_tokens = 0, .first_max_tokens = 1, .max_tokens = 1});
    d.begin();
    d.tokens("Well", " then", "<think>", "Hm.");
    d.final();
    d.wants();
    d.go_on(0);
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' then' end"));
}

TEST(reply_machine_speech, has_bounds_of_the_reasoning_that_it_keeps) {
    machine_driver d(speech_rules());
    d.begin();
    d.token("<think>");
    const std::string much(tandem::max_reasoning_bytes - 1, 'x');
    d.tokens(much, "\xC3\xA9", "</think>", "Hello");
    d.final();
    EXPECT_EQ(d.machine.result().reasoning, much);
    EXPECT_EQ(d.wants().back(), "chunk 0 'Hello' end");
}

TEST(reply_machine_speech, ends_a_hold_in_time_though_reasoning_continues) {
    machine_driver d(speech_rules());
    d.begin();
    d.tokens("Hello", "!");
    d.pass(200ms);
    d.token("<think>");
    d.pass(50ms);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Hello!' sentence"));
}

TEST(reply_machine_speech, hands_a_withheld_start_of_a_mark_over_at_the_end) {
    machine_driver d(speech_rules());
    d.begin();
    d.tokens("a", " <th");
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'a <th' end"));
}

TEST(reply_machine_speech, tells_a_withheld_start_of_a_mark_as_unspoken) {
    machine_driver d(speech_rules());
    d.begin();
    d.tokens("a", " <th");
    d.interrupt();
    EXPECT_EQ(d.machine.result().unspoken_text, "a <th");
}

}  // namespace
