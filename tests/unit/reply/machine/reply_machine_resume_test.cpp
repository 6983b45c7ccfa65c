// A reply that continues from the remainder of an interrupted reply.

#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace {

using tandem::finish_reason;
using tandem::detail::reply_remainder;
using tandem::test::machine_driver;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// The remainder of a reply that handed over "Hello!", read " How" and was interrupted.
reply_remainder interrupted_rest() {
    machine_driver d;
    d.begin();
    d.tokens("Hello", "!", " How");
    d.interrupt();
    d.wants();
    return d.machine.take_remainder();
}

TEST(rest, is_the_text_that_was_read_and_not_handed_over) {
    machine_driver d;
    d.ask();
    d.start();
    d.grant(0);
    d.tokens("Hello", "!", " How");
    d.wants();
    d.go_on(0);
    d.grant(1);
    d.tokens(" are", " you");
    d.interrupt();
    d.wants();
    const auto rest = d.machine.take_remainder();
    EXPECT_EQ(d.machine.result().text, "Hello!");
    EXPECT_EQ(rest.unspoken, " How are you");
    EXPECT_EQ(rest.text.text(), "PHello! How are you");
    EXPECT_FALSE(rest.generated);
}

TEST(rest, says_so_if_no_more_text_would_have_come) {
    machine_driver d;
    d.begin();
    d.tokens("Hello", "!");
    d.final();
    d.interrupt();
    d.wants();
    EXPECT_EQ(d.machine.take_remainder().generated, finish_reason::eos);
}

TEST(rest, is_not_sure_of_the_ids_that_came_with_a_stop_word) {
    auto rules = machine_driver::default_rules();
    rules.has_stop_words = true;
    machine_driver d(rules);
    d.begin();
    d.tokens("Hello", ".");
    d.final(tandem::wire::stop_type::word);
    d.interrupt();
    d.wants();
    EXPECT_THAT(d.machine.take_remainder().text.texts_with_missing_ids(), ElementsAre("."));
}

class resumed_reply : public testing::Test {
 protected:
    void resume(reply_remainder rest, std::string spoken = {}) {
        d.start({.rest = std::move(rest), .spoken = std::move(spoken)});
    }

    machine_driver d;
};

TEST_F(resumed_reply, reports_that_no_request_of_it_made_what_was_left) {
    auto rest = interrupted_rest();
    rest.unspoken = "One. Two. ";
    rest.generated = finish_reason::eos;
    d.ask();
    resume(std::move(rest));
    d.wants();
    ASSERT_FALSE(d.handed_over.empty());
    EXPECT_EQ(d.handed_over[0].metrics.request, -1);
}

TEST_F(resumed_reply, delivers_what_was_generated_without_a_request) {
    auto rest = interrupted_rest();
    rest.unspoken = "One. Two. ";
    rest.generated = finish_reason::eos;
    d.ask();
    resume(std::move(rest));
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'One.' sentence"));
    d.go_on(0);
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' Two. ' end"));
    d.go_on(1);
    EXPECT_THAT(d.wants(), ElementsAre("end eos"));
    EXPECT_EQ(d.machine.result().metrics.requests, 0);
}

TEST_F(resumed_reply, continues_from_all_text_if_more_is_to_come) {
    auto rest = interrupted_rest();
    rest.unspoken = " How";
    d.ask();
    resume(std::move(rest));
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
    d.grant(0);
    EXPECT_THAT(d.wants(), ElementsAre(HasSubstr("send 0 n=-1 ")));
    EXPECT_EQ(d.machine.text(), "PHello! How");
    d.tokens(" you", "?", " Fine");
    EXPECT_THAT(d.wants(), Contains("chunk 0 ' How you?' sentence"));
}

TEST_F(resumed_reply, wants_no_slot_while_a_whole_chunk_waits_for_its_continue) {
    auto rest = interrupted_rest();
    rest.unspoken = "One. Two. Three";
    d.ask();
    resume(std::move(rest));
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'One.' sentence"));
    d.go_on(0);
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' Two.' sentence"));
    d.go_on(1);
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
}

TEST_F(resumed_reply, ends_at_once_if_nothing_is_left) {
    auto rest = interrupted_rest();
    rest.unspoken.clear();
    rest.generated = finish_reason::length;
    d.ask();
    resume(std::move(rest));
    EXPECT_THAT(d.wants(), ElementsAre("end length"));
}

TEST_F(resumed_reply, knows_what_the_speech_before_it_left_open) {
    auto rules = machine_driver::default_rules();
    rules.speech.form = tandem::speech_form::clean;
    machine_driver clean(rules);
    auto rest = interrupted_rest();
    rest.unspoken = "let x = 1;\n```\nDone.";
    rest.generated = finish_reason::eos;
    clean.ask();
    clean.start({.rest = std::move(rest), .spoken = "Look:\n```cpp\nint "});
    for (const auto& a : clean.machine.take_actions())
        if (const auto* c = std::get_if<tandem::detail::action::hand_over>(&a)) {
            EXPECT_THAT(c->value.speech, Not(HasSubstr("let")));
        }
}

// gpt-oss writes calls to a channel that the reply reads as reasoning.
class resumed_call : public testing::TestWithParam<std::pair<const char*, const char*>> {
 protected:
    resumed_call() { rules.reasoning_tags = {{"<|channel|>commentary", "<|channel|>final"}}; }

    /// Interrupts a reply after the first part of its call, and reads the second part in another.
    void read_call() {
        machine_driver first(rules);
        first.ask();
        first.start({.prompt = {.text = "P"}, .call_mark = "to=functions."});
        first.grant(0);
        first.tokens("<|channel|>commentary", GetParam().first);
        first.interrupt();
        first.wants();
        second.emplace(rules);
        second->ask();
        second->start({.rest = first.machine.take_remainder(), .call_mark = "to=functions."});
        second->grant(0);
        second->wants();
        second->token(GetParam().second);
    }

    tandem::detail::reply_rules rules = machine_driver::default_rules();
    std::optional<machine_driver> second;
};

TEST_P(resumed_call, is_parsed) {
    read_call();
    second->final();
    EXPECT_THAT(second->wants(), Contains(HasSubstr("parse")));
    second->parsed({{"c1", "now", "{}"}});
    second->wants();
    EXPECT_EQ(second->machine.result().finish_reason, finish_reason::tool_calls);
    EXPECT_THAT(second->machine.result().reasoning, Not(HasSubstr("to=functions")));
}

TEST_P(resumed_call, is_not_cut_at_the_limit_of_the_reasoning) {
    rules.reasoning = {.tokens = 3};
    read_call();
    EXPECT_THAT(second->wants(), Not(Contains("close")));
}

INSTANTIATE_TEST_SUITE_P(interrupted, resumed_call,
                         testing::Values(std::pair(" to=functions.now<|message|>{", "}"),
                                         std::pair(" to=func", "tions.now<|message|>{}")));

TEST_F(resumed_reply, reports_the_reasoning_before_the_interrupt_too) {
    auto rules = machine_driver::default_rules();
    rules.reasoning_tags = {{"<think>", "</think>"}};
    machine_driver thinker(rules);
    thinker.begin();
    thinker.tokens("<think>", "Hm", ",");
    thinker.interrupt();
    thinker.wants();
    machine_driver reply(rules);
    reply.ask();
    reply.start({.rest = thinker.machine.take_remainder()});
    reply.grant(0);
    reply.tokens(" yes.", "</think>", "Hello");
    reply.interrupt();
    EXPECT_EQ(reply.machine.result().reasoning, "Hm, yes.");
}

TEST_F(resumed_reply, can_be_interrupted_again) {
    auto rest = interrupted_rest();
    rest.unspoken = "One. Two. Three";
    d.ask();
    resume(std::move(rest));
    d.interrupt();
    EXPECT_THAT(d.wants(), Contains("end interrupted"));
    const auto again = d.machine.take_remainder();
    EXPECT_EQ(again.unspoken, " Two. Three");
    EXPECT_EQ(again.text.text(), "PHello! How");
}

}  // namespace
