#include "voice_calling_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// Results that arrive only after the next reply has begun.
namespace tandem::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(a_result, may_come_later_so_that_the_next_reply_begins) {
    waiting_for_results s;
    s.say(phone, comes_later("a"));
    s.say(phone, result("b", "four seats"));
    EXPECT_THAT(s.asked(),
                ElementsAre("check 2", "answer for now a The result comes later.",
                            "answer b four seats", "generate 2", "await calls 2", "next 2"));
    s.end(2);
    s.say(phone, result("a", "noon"));
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "answer a noon")) << "for the next turn";
    s.sent(phone);
    s.say(phone, result("a", "noon"));
    EXPECT_THAT(s.heard_by(phone), ElementsAre("error unknown_call")) << "once";
    s.say(phone, more_words);
    EXPECT_THAT(s.asked(), ElementsAre("check 4", "append Never mind", "generate 4",
                                       "await calls 4", "next 4"));
}

TEST(a_result, that_a_start_contains_is_not_taken_again) {
    waiting_for_results s;
    s.say(phone, comes_later("a"));
    s.say(phone, result("b", "four seats"));
    s.end(2);
    s.say(phone,
          R"({"type":"start","messages":[{"role":"tool","tool_call_id":"a","content":"noon"}]})");
    s.sent(phone);
    s.say(phone, result("a", "noon"));
    EXPECT_THAT(s.heard_by(phone), ElementsAre("error unknown_call"));
}

TEST(a_result, that_a_refused_start_contains_may_be_sent_again) {
    waiting_for_results s;
    s.say(phone, comes_later("a"));
    s.say(phone, result("b", "four seats"));
    s.end(2);
    s.permits = false;
    s.say(phone,
          R"({"type":"start","messages":[{"role":"tool","tool_call_id":"a","content":"noon"}]})");
    s.refuse(3);
    s.sent(phone);
    s.say(phone, result("a", "noon"));
    EXPECT_THAT(s.heard_by(phone), IsEmpty());
}

TEST(a_result, that_was_to_come_later_is_as_any_other_if_it_is_in_time) {
    waiting_for_results s;
    s.say(phone, comes_later("a"));
    s.say(phone, result("a", "noon"));
    s.say(phone, result("b", "four seats"));
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "answer a noon", "answer b four seats",
                                       "generate 2", "await calls 2", "next 2"));
}

TEST(a_result, that_comes_later_waits_for_the_running_reply) {
    waiting_for_results s;
    s.say(phone, comes_later("a"));
    s.say(phone, comes_later("b"));
    s.chunk(2, 0, "I am looking.");
    s.asked();
    s.say(phone, result("a", "noon"));
    s.say(phone, more_words);
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "check 4", "interrupt", "next 2"));
    s.end(2, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("answer a noon", "append Never mind", "generate 4",
                                       "await calls 4", "next 4"));
}

TEST(a_result, that_comes_later_follows_the_one_for_now) {
    waiting_for_results s;
    s.permits = false;
    s.say(phone, comes_later("a"));
    s.say(phone, comes_later("b"));
    s.say(phone, result("a", "noon"));
    s.permit(3);
    s.permit(2);
    s.end(2);
    EXPECT_THAT(s.asked(),
                ElementsAre("check 2", "check 3", "answer for now a The result comes later.",
                            "answer for now b The result comes later.", "generate 2",
                            "await calls 2", "next 2", "answer a noon"));
}

TEST(a_result, that_comes_later_has_no_time_limit) {
    waiting_for_results s;
    s.say(phone, comes_later("a"));
    s.say(phone, comes_later("b"));
    s.end(2);
    s.sent(phone);
    EXPECT_EQ(s.turns.next_check(), std::nullopt);
    s.say(phone, pause);
    s.say(phone, result("a", "noon"));
    EXPECT_THAT(s.heard_by(phone), IsEmpty());
}

TEST(a_result, that_comes_later_is_checked_and_limited_as_other_turns) {
    auto setup = voice_session_driver::defaults();
    setup.limits.waiting_turns = 1;
    session_with_tools s(setup);
    s.call(1, {clock_call, table_call});
    s.end_with_calls(1, {clock_call, table_call});
    s.say(phone, comes_later("a"));
    s.say(phone, comes_later("b"));
    s.sent(phone);
    s.say(phone, result("a", "noon"));
    s.say(phone, result("b", "four seats"));
    EXPECT_THAT(s.heard_by(phone), ElementsAre("error too_many_turns"));
    s.asked();
    s.end(2);
    s.say(phone, result("b", "four seats"));
    EXPECT_THAT(s.asked(), ElementsAre("answer a noon", "check 4", "answer b four seats"));
}

TEST(a_result, that_comes_later_is_named_if_it_is_refused) {
    waiting_for_results s;
    s.say(phone, comes_later("a"));
    s.say(phone, comes_later("b"));
    s.end(2);
    s.sent(phone);
    s.permits = false;
    s.say(phone, result("a", "noon"));
    s.refuse(3);
    const auto sent = s.sent(phone);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0]["code"], "policy");
    EXPECT_EQ(sent[0]["call"], "a");
}

TEST(a_result, of_a_dropped_call_is_kept_on_request) {
    waiting_for_results s;
    s.say(phone, pause);
    s.sent(phone);
    s.say(phone, result("a", "noon"));
    EXPECT_THAT(s.heard_by(phone), ElementsAre("error unknown_call"));
    s.say(phone, kept_result("a", "noon"));
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "answer a noon"));
    s.say(phone, R"({"type":"resume"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "generate 3", "await calls 3", "next 3"));
}

}  // namespace
}  // namespace tandem::gateway
