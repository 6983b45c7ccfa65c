// Reasoning that takes too long, or that the model does not close.

#include "reply/machine/reply_machine.hpp"
#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::finish_reason;
using tandem::detail::reply_rules;
using tandem::test::machine_driver;
using tandem::text::reasoning_limits;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

reply_rules limited(reasoning_limits limits) {
    auto r = machine_driver::default_rules();
    r.reasoning_tags = {{"<think>", "</think>"}};
    r.reasoning = limits;
    return r;
}

machine_driver begun(const reply_rules& rules, std::string prompt = "P") {
    machine_driver d(rules, {.first_min_tokens = 0}, std::move(prompt));
    d.begin();
    return d;
}

TEST(reply_machine_reasoning, is_cut_at_its_limit_of_time_and_continues_after_its_closing_mark) {
    auto d = begun(limited({.time = 2s}));
    d.tokens("<think>", "Hm.", " So");
    EXPECT_EQ(d.machine.deadline(), d.now + 2s);
    d.pass(2s);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "recover </think>"));
    d.recovered({9, 0});
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("slot?", "send 1 n=-1 101,7,7,7,9"));
    d.tokens("Hello", "!", " How");
    EXPECT_THAT(d.wants(), Contains("chunk 0 'Hello!' sentence"));
}

TEST(reply_machine_reasoning, is_closed_with_the_white_space_of_the_template) {
    auto d = begun(limited({.time = 2s}));
    d.machine.set_prompt_without_thinking("<think>\n\n</think>\n\n");
    d.tokens("<think>", "Hm.");
    d.pass(2s);
    d.deadline();
    EXPECT_THAT(d.wants(), Contains("recover </think>\n\n"));
}

TEST(reply_machine_reasoning, continues_as_text_if_the_ids_of_the_mark_are_unknown) {
    auto d = begun(limited({.time = 2s}));
    d.tokens("<think>", "Hm.");
    d.pass(2s);
    d.deadline();
    d.recovered({});
    d.wants();
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("send 1 n=-1 'P<think>Hm.</think>'"));
}

TEST(reply_machine_reasoning, is_cut_at_its_limit_of_tokens) {
    auto d = begun(limited({.tokens = 3}), "P<think>\n");
    d.tokens("Hm.", " So");
    EXPECT_THAT(d.wants(), IsEmpty());
    d.token(" it");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "recover </think>"));
}

TEST(reply_machine_reasoning, that_ends_in_time_is_not_cut) {
    auto d = begun(limited({.time = 2s, .tokens = 3}));
    d.tokens("<think>", "Hm.", "</think>", "Hello");
    d.pass(3s);
    d.tokens(" you", "!", " How");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'Hello you!' sentence"));
    EXPECT_FALSE(d.machine.result().metrics.reasoning_cut);
}

TEST(reply_machine_reasoning, has_no_end_of_its_own_without_a_limit) {
    auto d = begun(limited({}));
    d.tokens("<think>", "Hm.");
    EXPECT_EQ(d.machine.deadline(), d.now + 10s) << "the time limit between tokens";
}

TEST(reply_machine_reasoning, counts_no_time_in_which_no_request_runs) {
    auto rules = limited({.time = 2s});
    rules.retry_policy = {.retries = 1, .resume_within = 1h};
    auto d = begun(rules);
    d.tokens("<think>", "Hm.");
    d.pass(1s);
    d.fail(tandem::errc::stream_incomplete);
    d.pass(60s);
    d.found();
    d.wants();
    d.checked("P<think>Hm.");
    d.grant(0);
    d.token(" So");
    EXPECT_EQ(d.machine.deadline(), d.now + 1s);
}

// The model ends its text where it should have begun to speak.
TEST(reply_machine_reasoning, does_not_end_the_reply) {
    auto d = begun(limited({.time = 2s}));
    d.tokens("<think>", "Hm.");
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "recover </think>"));
    d.recovered({9, 0});
    d.grant(1);
    d.tokens("Hello", "!");
    d.final();
    EXPECT_THAT(d.wants(), Contains("chunk 0 'Hello!' end"));
}

TEST(reply_machine_reasoning, leaves_half_of_the_tokens_to_speech) {
    auto rules = limited({.time = 1min});
    rules.max_tokens = 6;
    auto d = begun(rules);
    d.tokens("<think>", "a", "b");
    EXPECT_THAT(d.wants(), Contains("close"));
    d.recovered({9, 0});
    d.grant(1);
    EXPECT_THAT(d.wants(), Contains("send 1 n=3 101,7,7,7,9"));
}

TEST(reply_machine_reasoning, that_is_opened_again_and_again_ends_the_reply) {
    auto d = begun(limited({.tokens = 1}), "P<think>");
    for (int slot = 1; slot <= 4; ++slot) {
        d.token("<think>");
        d.recovered({9, 0, 9, 0, 9, 0, 9, 0});
        d.grant(slot % 2);
    }
    d.token("<think>");
    EXPECT_THAT(d.wants(), Contains("end length"));
}

// The model ends its text right after the mark.
TEST(reply_machine_reasoning, is_followed_by_speech) {
    auto d = begun(limited({.tokens = 1}), "P<think>");
    d.token("Hm.");
    d.wants();
    d.recovered({9, 0});
    d.grant(1);
    d.final();
    d.wants();
    d.grant(0);
    EXPECT_THAT(d.wants(), ElementsAre("send 0 n=8 101,7,9"));
    d.tokens("Hello", " there");
    d.final(tandem::wire::stop_type::limit);
    d.wants();
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("send 1 n=-1 101,7,9,7,7"));
    d.final();
    EXPECT_THAT(d.wants(), Contains("chunk 0 'Hello there' end"));
}

TEST(reply_machine_reasoning, is_not_followed_by_speech_if_the_model_has_spoken) {
    auto d = begun(limited({.tokens = 2}));
    d.tokens("Well", "<think>", "Hm.");
    d.wants();
    d.recovered({9, 0});
    d.grant(1);
    d.final();
    EXPECT_THAT(d.wants(), Contains("chunk 0 'Well' end"));
}

// If the grammar describes the opening mark, it would make the model reason again in the next
// request.
TEST(reply_machine_reasoning, leaves_the_grammar_that_wrote_its_opening_mark) {
    for (const bool opened_by_prompt : {false, true}) {
        auto rules = limited({.tokens = 2});
        rules.is_constrained = true;
        rules.pacing = tandem::detail::uncut;
        auto d = begun(rules, opened_by_prompt ? "P<think>" : "P");
        d.tokens(opened_by_prompt ? "Well" : "<think>", "Hm.");
        d.wants();
        d.recovered({9, 0});
        d.wants();
        d.machine.on_slot_granted(d.now, 1, false, {});
        const auto actions = d.machine.take_actions();
        ASSERT_EQ(actions.size(), 1u);
        const auto& sent = std::get<tandem::detail::action::send_request>(actions[0]);
        EXPECT_EQ(sent.drops_grammar, !opened_by_prompt);
    }
}

TEST(reply_machine_reasoning, reports_its_time_and_its_tokens) {
    auto d = begun(limited({.time = 2s}));
    d.tokens("<think>", "Hm.");
    d.pass(2s);
    d.deadline();
    d.wants();
    d.recovered({9, 0});
    d.grant(1);
    d.pass(1s);
    d.tokens("Hello", "!");
    d.final();
    d.wants();
    d.go_on(0);
    d.ask();
    ASSERT_TRUE(d.machine.ended());
    const auto& r = d.machine.result();
    EXPECT_EQ(r.usage.reasoning, 2);
    EXPECT_EQ(r.metrics.reasoning_ms, 2000);
    EXPECT_TRUE(r.metrics.reasoning_cut);
    EXPECT_EQ(r.reasoning, "Hm.");
}

TEST(reply_machine_reasoning, of_a_draft_counts_for_the_reply) {
    auto rules = limited({.tokens = 3});
    rules.is_draft = true;
    auto draft = begun(rules);
    draft.tokens("<think>", "Hm.");
    draft.interrupt();
    machine_driver d(limited({.tokens = 3}));
    d.ask();
    d.start({.rest = draft.machine.take_remainder()});
    d.grant(0);
    d.wants();
    d.token(" So");
    EXPECT_THAT(d.wants(), Contains("recover </think>"));
}

TEST(reply_machine_reasoning, whose_opening_mark_a_limit_cuts_is_not_spoken) {
    auto d = begun(limited({}));
    d.tokens("One", " moment", "<thi");
    d.final(tandem::wire::stop_type::limit);
    EXPECT_THAT(d.wants(), Contains("chunk 0 'One moment' end"));
}

TEST(reply_machine_reasoning, is_not_suspected_in_a_lone_bracket_at_a_limit) {
    auto d = begun(limited({}));
    d.tokens("One", " moment", "<");
    d.final(tandem::wire::stop_type::limit);
    EXPECT_THAT(d.wants(), Contains("chunk 0 'One moment<' end"));
}

TEST(reply_machine_reasoning, of_a_draft_that_is_generated_ahead_is_followed_by_its_chunk) {
    auto rules = limited({.tokens = 3});
    rules.is_draft = true;
    rules.pacing = tandem::detail::make_pacing_rules(tandem::pacing::automatic, {});
    auto draft = begun(rules);
    draft.tokens("<think>", "Hm.", " So");
    draft.wants();
    draft.recovered({9, 0});
    EXPECT_THAT(draft.wants(), Contains(testing::StartsWith("slot?")));
    draft.grant(1);
    draft.tokens("Hello", "!", " How");
    draft.wants();
    EXPECT_TRUE(draft.machine.ended());
}

// gpt-oss writes calls to a channel that the reply reads as reasoning.
TEST(reply_machine_reasoning, is_not_cut_while_it_writes_a_call) {
    auto rules = limited({.tokens = 1});
    rules.reasoning_tags = {{"<|channel|>commentary", "<|channel|>final<|message|>"}};
    machine_driver d(rules);
    d.ask();
    d.start({.prompt = {.text = "P"}, .call_mark = "to=functions."});
    d.grant(0);
    d.wants();
    d.tokens("<|channel|>commentary to=functions.f<|message|>{");
    EXPECT_THAT(d.wants(), IsEmpty());
}

}  // namespace
