// A draft: a reply that ends with its first chunk, and from which another reply continues.

#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::errc;
using tandem::finish_reason;
using tandem::detail::reply_remainder;
using tandem::test::machine_driver;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class a_draft : public testing::Test {
 protected:
    static tandem::detail::reply_rules draft_rules() {
        auto rules = machine_driver::default_rules();
        rules.is_draft = true;
        return rules;
    }

    void begin(std::string call_mark = {}) {
        d.start({.prompt = {.text = "P"}, .call_mark = std::move(call_mark)});
        d.grant(0);
        d.wants();
    }
    bool is_complete() {
        d.wants();
        return d.machine.ended() && !d.machine.result().error;
    }
    /// A reply that continues from the draft, and whose consumer waits for a chunk.
    void continue_from_draft(machine_driver& reply) {
        d.wants();
        reply.ask();
        reply.start({.rest = d.machine.take_remainder(), .early = {.drafted = 3}});
    }

    machine_driver d{draft_rules(), {.first_min_tokens = 0}, "P", tandem::boundary_rule::spoken};
};

TEST_F(a_draft, ends_with_its_first_chunk_and_the_token_after_it) {
    begin();
    d.tokens("It", " works", ".");
    EXPECT_FALSE(is_complete());
    d.token(" Good");
    EXPECT_TRUE(is_complete());
    EXPECT_TRUE(d.handed_over.empty());
    EXPECT_EQ(d.machine.result().finish_reason, finish_reason::interrupted);
    EXPECT_EQ(d.machine.take_remainder().unspoken, "It works. Good");
}

TEST_F(a_draft, ends_without_the_token_after_its_chunk_if_a_listener_waits) {
    begin();
    d.tokens("It", " works");
    d.machine.on_draft_committed(d.now);
    EXPECT_FALSE(is_complete());
    d.token(".");
    EXPECT_TRUE(is_complete());
}

TEST_F(a_draft, ends_at_once_if_a_listener_begins_to_wait_after_its_chunk) {
    begin();
    d.tokens("It", " works", ".");
    EXPECT_FALSE(is_complete());
    d.machine.on_draft_committed(d.now);
    EXPECT_TRUE(is_complete());
}

TEST_F(a_draft, knows_that_the_reply_ends_with_its_chunk) {
    begin();
    d.tokens("It", " works", ".");
    d.final();
    EXPECT_TRUE(is_complete());
    machine_driver reply;
    continue_from_draft(reply);
    EXPECT_THAT(reply.wants(), ElementsAre("chunk 0 'It works.' end"));
}

// The draft's chunk has enough tokens, but few words. The reply must not wait for more words.
TEST_F(a_draft, keeps_its_chunk_although_the_words_alone_are_fewer_than_its_tokens) {
    machine_driver drafted{
        draft_rules(), {.first_min_tokens = 5}, "P", tandem::boundary_rule::spoken};
    drafted.start({.prompt = {.text = "P"}});
    drafted.grant(0);
    drafted.wants();
    drafted.tokens("It", " wo", "rk", "s", ".", " Good");
    drafted.wants();
    ASSERT_TRUE(drafted.machine.ended());
    machine_driver reply{machine_driver::default_rules(),
                         {.first_min_tokens = 5},
                         "P",
                         tandem::boundary_rule::spoken};
    reply.ask();
    reply.start({.rest = drafted.machine.take_remainder()});
    EXPECT_EQ(reply.wants().front(), "chunk 0 'It works.' sentence");
    EXPECT_EQ(reply.handed_over.front().tokens, 5);
}

TEST_F(a_draft, is_due_late_until_a_listener_waits_for_it) {
    d.start();
    EXPECT_EQ(d.machine.speech_runs_out_at(d.now) - d.now, tandem::detail::draft_lifetime);
    d.wants();
    d.machine.on_draft_committed(d.now);
    EXPECT_THAT(d.wants(), ElementsAre("slot, due 0 ms"));
}

TEST_F(a_draft, ends_before_a_call_and_calls_nothing) {
    begin("<call>");
    d.tokens("One", " moment", "<call>", "{}");
    EXPECT_TRUE(is_complete());
    EXPECT_TRUE(d.machine.result().calls.empty());
    machine_driver reply;
    continue_from_draft(reply);
    EXPECT_THAT(reply.wants(), Contains(StartsWith("chunk 0 'One moment'")));
}

TEST_F(a_draft, leaves_the_parsing_of_a_whole_call_to_the_reply) {
    begin("<call>");
    d.token("<call>{}");
    EXPECT_TRUE(is_complete());
    EXPECT_THAT(d.wants(), Not(Contains(StartsWith("parse"))));
}

TEST_F(a_draft, leaves_its_reasoning_to_the_reply) {
    auto rules = draft_rules();
    rules.reasoning_tags = {{"<think>", "</think>"}};
    machine_driver thinker(rules, {.first_min_tokens = 0}, "P", tandem::boundary_rule::spoken);
    thinker.start();
    thinker.grant(0);
    thinker.tokens("<think>", "Hm.", "</think>", "It", " works", ".", " Good");
    thinker.wants();
    ASSERT_TRUE(thinker.machine.ended());
    machine_driver reply(rules, {.first_min_tokens = 0});
    reply.start({.rest = thinker.machine.take_remainder()});
    reply.interrupt();
    EXPECT_EQ(reply.machine.result().reasoning, "Hm.");
}

// gpt-oss writes calls to a channel that the reply reads as reasoning.
TEST_F(a_draft, leaves_a_call_in_its_reasoning_to_the_reply) {
    auto rules = draft_rules();
    rules.reasoning_tags = {{"<|channel|>analysis", "<|channel|>final<|message|>"}};
    machine_driver caller(rules, {.first_min_tokens = 0}, "P", tandem::boundary_rule::spoken);
    caller.start({.prompt = {.text = "P"}, .call_mark = "to=functions."});
    caller.grant(0);
    caller.tokens("<|channel|>analysis", "<|message|>Noon?<|start|>assistant<|channel|>",
                  "commentary to=functions.now<|message|>{}");
    caller.final();
    caller.wants();
    ASSERT_TRUE(caller.machine.ended());
    rules.is_draft = false;
    machine_driver reply(rules);
    reply.ask();
    reply.start({.rest = caller.machine.take_remainder(), .call_mark = "to=functions."});
    reply.wants();
    reply.grant(0);
    EXPECT_THAT(reply.wants(), Contains(HasSubstr("parse")));
    reply.parsed({{"c1", "now", "{}"}});
    reply.wants();
    EXPECT_EQ(reply.machine.result().finish_reason, finish_reason::tool_calls);
}

TEST_F(a_draft, fails_with_its_first_request) {
    begin();
    d.fail(errc::connect_failed);
    d.wants();
    EXPECT_TRUE(d.machine.ended());
    EXPECT_EQ(d.machine.result().error, errc::connect_failed);
}

TEST_F(a_draft, gives_its_chunk_to_a_reply_before_any_request) {
    begin();
    d.tokens("Hello", "!", " How");
    machine_driver reply;
    continue_from_draft(reply);
    const auto wants = reply.wants();
    EXPECT_EQ(wants.front(), "chunk 0 'Hello!' sentence") << testing::PrintToString(wants);
    reply.interrupt();
    reply.wants();
    EXPECT_EQ(reply.machine.result().usage.generated, 3);
    EXPECT_EQ(reply.machine.result().usage.drafted, 3);
}

}  // namespace
