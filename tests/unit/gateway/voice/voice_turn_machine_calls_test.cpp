#include "voice_calling_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

// A session whose replies call functions.
namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(a_call, is_awaited_in_replies_with_tools) {
    session_with_tools s;
    EXPECT_THAT(s.asked(),
                ElementsAre("check 1", "open with 1", "generate 1", "await calls 1", "next 1"));
    voice_session_driver without;
    without.attach(phone, hello);
    EXPECT_THAT(without.asked(), ElementsAre("check 1", "open with 1", "generate 1", "next 1"));
}

TEST(a_call, is_sent_with_the_chunk_before_it_while_that_is_spoken) {
    session_with_tools s;
    s.chunk(1, 0, "One moment. ");
    s.sent(phone);
    s.asked();
    s.call(1, {clock_call}, 0);
    const auto sent = s.sent(phone);
    ASSERT_THAT(sent, SizeIs(1));
    EXPECT_EQ(sent[0], nlohmann::json::parse(R"({"type":"call","reply":"1","turn":"t","id":"a",
                           "name":"clock","arguments":{"zone":"UTC"},"after":"1-0"})"));
    EXPECT_THAT(s.asked(), ElementsAre("next 1")) << "so that the reply ends";
    s.end_with_calls(1, {clock_call});
    EXPECT_THAT(s.heard_by(phone), ElementsAre("end 1 tool_calls"));
}

TEST(a_call, may_have_no_text_before_it) {
    session_with_tools s;
    s.call(1, {clock_call});
    EXPECT_FALSE(s.sent(phone)[0].contains("after"));
}

TEST(a_call, may_be_known_before_the_chunk_that_it_follows_is_sent) {
    session_with_tools s;
    s.chunk(1, 0, "One. ");
    s.call(1, {clock_call}, 1);
    s.asked();
    s.say(phone, R"({"type":"continue","chunk":"1-0"})");
    EXPECT_THAT(s.asked(), ElementsAre("continue 1-0"));
    s.chunk(1, 1, "Two. ");
    EXPECT_THAT(s.asked(), ElementsAre("next 1")) << "without waiting for the continue";
    EXPECT_THAT(s.heard_by(phone), ElementsAre("chunk 1-0", "call a", "chunk 1-1"));
}

TEST(a_call, that_was_not_sent_comes_before_the_end) {
    session_with_tools s;
    s.chunk(1, 0, "One moment. ");
    s.end_with_calls(1, {clock_call});
    const auto sent = s.sent(phone);
    ASSERT_THAT(sent, SizeIs(3));
    EXPECT_EQ(sent[1]["id"], "a");
    EXPECT_EQ(sent[1]["after"], "1-0");
    EXPECT_EQ(sent[2]["type"], "end");
    s.call(1, {clock_call}, 0);
    EXPECT_THAT(s.sent(phone), IsEmpty()) << "once";
}

TEST(a_call, is_sent_in_a_bounded_number) {
    session_with_tools s;
    s.call(1, std::vector<tool_call>(max_sent_calls + 10, clock_call));
    EXPECT_THAT(s.sent(phone), SizeIs(max_sent_calls));
}

TEST(a_call, is_not_sent_after_an_interrupt) {
    session_with_tools s;
    s.say(phone, pause);
    s.call(1, {clock_call});
    s.end_with_calls(1, {clock_call});
    EXPECT_THAT(s.heard_by(phone), ElementsAre("end 1 tool_calls"));
    s.say(phone, result("a", "noon"));
    EXPECT_THAT(s.heard_by(phone), ElementsAre("error unknown_call"));
}

TEST(a_call, is_not_sent_while_the_gateway_stops) {
    session_with_tools s;
    s.drain();
    s.call(1, {clock_call});
    s.end_with_calls(1, {clock_call});
    EXPECT_THAT(s.heard_by(phone), ElementsAre("end 1 tool_calls"));
    EXPECT_TRUE(s.turns.is_over());
}

TEST(a_result, of_the_last_call_begins_the_next_reply) {
    waiting_for_results s;
    s.say(phone, result("b", "four seats"));
    EXPECT_THAT(s.asked(), IsEmpty());
    s.say(phone, result("a", "noon"));
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "answer a noon", "answer b four seats",
                                       "generate 2", "await calls 2", "next 2"));
    EXPECT_EQ(s.generated.back()->id, "t");
    EXPECT_EQ(s.generated.back()->options.tools, s.generated.front()->options.tools);
    s.chunk(2, 0, "It is noon.");
    EXPECT_EQ(s.sent(phone)[0]["turn"], "t");
}

TEST(a_result, has_a_reply_that_need_not_call_again) {
    voice_setup setup = voice_session_driver::defaults();
    setup.generation.tool_choice = "required";
    session_with_tools s(setup);
    EXPECT_EQ(s.generated.back()->options.tool_choice, "required");
    s.end_with_calls(1, {clock_call});
    s.say(phone, result("a", "noon"));
    EXPECT_EQ(s.generated.back()->number, 2u);
    EXPECT_EQ(s.generated.back()->options.tool_choice, "");
}

TEST(a_result, begins_the_next_reply_while_the_chunk_before_the_call_is_spoken) {
    calling s;
    s.end_with_calls(1, {clock_call, table_call});
    s.say(phone, result("a", "noon"));
    s.asked();
    s.say(phone, result("b", "four seats"));
    s.chunk(2, 0, "It is noon.");
    EXPECT_THAT(s.heard_by(phone),
                ElementsAre("call a", "call b", "end 1 tool_calls", "chunk 2-0"));
    s.asked();
    s.say(phone, R"({"type":"continue","chunk":"1-0"})");
    EXPECT_THAT(s.asked(), IsEmpty());
    s.say(phone, R"({"type":"continue","chunk":"2-0"})");
    EXPECT_THAT(s.asked(), ElementsAre("continue 2-0", "next 2"));
}

TEST(a_result, has_an_early_answer_while_the_chunk_before_the_call_is_spoken) {
    for (const bool is_spoken : {false, true}) {
        calling s;
        s.end_with_calls(1, {clock_call, table_call});
        s.say(phone, result("a", "noon"));
        s.say(phone, result("b", "four seats"));
        if (is_spoken) s.say(phone, R"({"type":"continue","chunk":"1-0"})");
        s.sent(phone);
        s.chunk(2, 0, "It is noon.");
        EXPECT_EQ(s.sent(phone)[0].contains("early"), !is_spoken);
    }
}

TEST(a_result, makes_no_chunk_of_a_later_turn_early) {
    calling s;
    s.end_with_calls(1, {clock_call, table_call});
    s.say(phone, more_words);
    s.sent(phone);
    s.chunk(2, 0, "All right.");
    EXPECT_FALSE(s.sent(phone)[0].contains("early"));
}

TEST(a_result, waits_for_the_end_of_the_reply_that_called) {
    calling s;
    s.asked();
    s.say(phone, result("a", "noon"));
    s.say(phone, result("b", "four seats"));
    EXPECT_THAT(s.asked(), IsEmpty());
    s.end_with_calls(1, {clock_call, table_call});
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "answer a noon", "answer b four seats",
                                       "generate 2", "await calls 2", "next 2"));
}

TEST(a_result, is_accepted_once_for_an_open_call) {
    waiting_for_results s;
    s.say(phone, result("c", "what?"));
    s.say(phone, result("a", "noon"));
    s.say(phone, result("a", "midnight"));
    const auto sent = s.sent(phone);
    ASSERT_THAT(sent, SizeIs(2));
    EXPECT_EQ(sent[0]["code"], "unknown_call");
    EXPECT_EQ(sent[0]["param"], "call");
    EXPECT_EQ(sent[0]["call"], "c");
    EXPECT_EQ(sent[1]["call"], "a");
    EXPECT_THAT(s.asked(), IsEmpty()) << "the other call is open";
}

TEST(a_result, is_checked_as_what_a_user_says) {
    waiting_for_results s;
    s.permits = false;
    s.say(phone, result("a", "noon"));
    s.say(phone, result("b", "four seats"));
    EXPECT_THAT(s.asked(), ElementsAre("check 2"));
    s.refuse(2);
    EXPECT_THAT(s.heard_by(phone), ElementsAre("error policy 2"));
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(a_result, comes_before_messages_that_were_sent_while_the_function_ran) {
    waiting_for_results s;
    s.say(phone, R"({"type":"start","messages":[{"role":"system","content":"It rains."}]})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2")) << "it waits";
    s.say(phone, result("a", "noon"));
    s.say(phone, result("b", "four seats"));
    s.end(3);
    EXPECT_THAT(s.asked(),
                ElementsAre("check 3", "answer a noon", "answer b four seats", "generate 3",
                            "await calls 3", "next 3", "append It rains."));
}

TEST(a_result, is_refused_if_the_results_of_the_reply_are_too_large) {
    auto setup = voice_session_driver::defaults();
    setup.limits.message_bytes = 1024;
    session_with_tools s(setup);
    s.call(1, {clock_call, table_call});
    s.end_with_calls(1, {clock_call, table_call});
    s.sent(phone);
    s.asked();
    s.say(phone, result("a", std::string(1000, 'x')));
    s.say(phone, result("b", std::string(25, 'x')));
    const auto sent = s.sent(phone);
    ASSERT_THAT(sent, SizeIs(1));
    EXPECT_EQ(sent[0]["code"], "invalid_value");
    EXPECT_EQ(sent[0]["param"], "content");
    EXPECT_EQ(sent[0]["call"], "b");
    s.say(phone, result("b", std::string(24, 'x')));
    EXPECT_THAT(s.asked(), ::testing::Contains("generate 2")) << "a shorter one is accepted";
}

TEST(a_barge_in, drops_the_calls_without_a_result_and_keeps_the_other_results) {
    for (const auto& message : {pause, more_words}) {
        SCOPED_TRACE(message);
        waiting_for_results s;
        s.say(phone, result("a", "noon"));
        s.say(phone, message);
        EXPECT_THAT(s.heard_by(phone), ElementsAre("dropped b interrupted"));
        const auto asked = s.asked();
        ASSERT_GE(asked.size(), 2u);
        EXPECT_EQ(asked[0], "check 2");
        EXPECT_THAT(asked, ::testing::Contains("answer a noon"));
        s.say(phone, result("b", "four seats"));
        EXPECT_THAT(s.heard_by(phone), ElementsAre("error unknown_call"));
    }
}

TEST(a_barge_in, has_the_users_words_answered_after_the_results) {
    waiting_for_results s;
    s.say(phone, result("a", "noon"));
    s.say(phone, more_words);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "check 3", "answer a noon", "append Never mind",
                                       "generate 2", "await calls 2", "next 2"));
}

TEST(a_barge_in, silences_the_last_words_of_a_reply_that_called) {
    calling s;
    s.end_with_calls(1, {clock_call, table_call});
    s.asked();
    s.say(phone, more_words);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "interrupt", "append Never mind", "generate 2",
                                       "await calls 2", "next 2"));
}

TEST(a_barge_in, drops_the_calls_of_a_reply_that_still_runs) {
    calling s;
    s.say(phone, more_words);
    EXPECT_THAT(s.heard_by(phone),
                ElementsAre("call a", "call b", "dropped a interrupted", "dropped b interrupted"));
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.heard_by(phone), ElementsAre("end 1 interrupted"));
    EXPECT_THAT(s.asked(), ElementsAre("next 1", "check 2", "interrupt", "append Never mind",
                                       "generate 2", "await calls 2", "next 2"));
}

TEST(a_barge_in, keeps_all_results_that_have_come) {
    calling s;
    s.say(phone, result("a", "noon"));
    s.say(phone, result("b", "four seats"));
    s.asked();
    s.say(phone, pause);
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(),
                ElementsAre("check 2", "interrupt", "answer a noon", "answer b four seats"));
    EXPECT_THAT(s.heard_by(phone), ElementsAre("call a", "call b", "end 1 interrupted"));
}

TEST(a_barge_in, keeps_results_whose_reply_was_not_permitted_yet) {
    waiting_for_results s;
    s.permits = false;
    s.say(phone, result("a", "noon"));
    s.say(phone, result("b", "four seats"));
    s.say(phone, pause);
    s.permit(2);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "answer a noon", "answer b four seats"));
    EXPECT_THAT(s.heard_by(phone), ElementsAre("end 2 interrupted"));
}

TEST(a_barge_in, is_followed_by_a_new_reply_if_it_was_a_false_alarm) {
    waiting_for_results s;
    s.say(phone, R"({"type":"resume"})");
    const auto refused = s.sent(phone);
    ASSERT_THAT(refused, SizeIs(1));
    EXPECT_EQ(refused[0]["code"], "reply_running");
    EXPECT_THAT(refused[0]["message"], ::testing::StartsWith("functions are running"));
    s.say(phone, pause);
    s.asked();
    s.say(phone, R"({"type":"resume","turn":"u"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "generate 2", "await calls 2", "next 2"));
    EXPECT_EQ(s.generated.back()->id, "u");
}

TEST(a_lost_socket, drops_the_calls_and_has_the_next_reply_when_it_is_back) {
    waiting_for_results s;
    s.drop(phone);
    EXPECT_THAT(s.asked(), ElementsAre("keep"));
    s.attach(next_phone, resumed_session);
    EXPECT_THAT(s.heard_by(next_phone),
                ElementsAre("ready", "dropped a interrupted", "dropped b interrupted"));
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "generate 2", "await calls 2", "next 2"));
    s.say(next_phone, result("a", "noon"));
    EXPECT_THAT(s.heard_by(next_phone), ElementsAre("error unknown_call"));
}

TEST(a_lost_socket, interrupts_a_reply_that_called_and_resumes_it) {
    calling s;
    s.say(phone, result("a", "noon"));
    s.asked();
    s.drop(phone);
    EXPECT_THAT(s.asked(), ElementsAre("interrupt", "keep"));
    s.end_with_calls(1, {clock_call, table_call});
    s.attach(next_phone, resumed_session);
    EXPECT_THAT(s.heard_by(next_phone),
                ElementsAre("ready", "dropped b interrupted", "end 1 tool_calls"));
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "answer a noon", "check 3", "resume 3",
                                       "await calls 3", "next 3"));
}

TEST(a_lost_socket, leaves_results_that_have_all_come_for_the_next_one) {
    waiting_for_results s;
    s.permits = false;
    s.say(phone, result("a", "noon"));
    s.say(phone, result("b", "four seats"));
    s.drop(phone);
    s.attach(next_phone, resumed_session);
    s.asked();
    s.permit(2);
    EXPECT_THAT(s.asked(), ElementsAre("answer a noon", "answer b four seats", "generate 2",
                                       "await calls 2", "next 2"));
}

TEST(a_function, that_takes_too_long_has_a_result_that_says_so) {
    auto setup = voice_session_driver::defaults();
    setup.limits.call_timeout = 10s;
    session_with_tools s(setup);
    s.call(1, {clock_call, table_call});
    s.end_with_calls(1, {clock_call, table_call});
    s.say(phone, result("b", "four seats"));
    s.sent(phone);
    s.asked();
    EXPECT_EQ(s.turns.next_check(), s.now + 10s);
    s.wait(9s);
    EXPECT_THAT(s.asked(), IsEmpty());
    s.wait(1s);
    EXPECT_THAT(s.heard_by(phone), ElementsAre("dropped a timeout"));
    EXPECT_THAT(s.asked(),
                ElementsAre("check 2", "answer for now a No result: the function took too long.",
                            "answer b four seats", "generate 2", "await calls 2", "next 2"));
    EXPECT_EQ(s.turns.next_check(), std::nullopt);
    s.say(phone, result("a", "noon"));
    EXPECT_THAT(s.heard_by(phone), ElementsAre("error unknown_call"));
}

TEST(a_reply_that_called, and_failed_has_its_calls_dropped) {
    calling s;
    s.say(phone, result("a", "noon"));
    s.sent(phone);
    s.asked();
    s.end(1, finish_reason::error);
    EXPECT_THAT(s.heard_by(phone), ElementsAre("dropped b interrupted", "error no_model 1"));
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "answer a noon"));
}

TEST(a_reply_that_called, leaves_no_open_call_when_the_session_ends) {
    waiting_for_results s;
    s.say(phone, R"({"type":"end"})");
    EXPECT_THAT(s.heard_by(phone), ElementsAre("dropped a interrupted", "dropped b interrupted"));
    EXPECT_THAT(s.asked(), ElementsAre("close 7 1000", "forget"));
}

TEST(a_reply_that_called, leaves_no_open_call_when_the_gateway_stops) {
    waiting_for_results s;
    s.say(phone, result("a", "noon"));
    s.drain();
    EXPECT_THAT(s.heard_by(phone), ElementsAre("dropped b interrupted"));
    EXPECT_THAT(s.asked(), ElementsAre("close 7 1012", "forget"));
}

TEST(a_raw_prompt, has_none_of_the_sessions_tools) {
    session_with_tools s;
    s.end(1);
    s.asked();
    s.say(phone, R"({"type":"start","prompt":"Once"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "drop draft", "generate raw 2", "next 2"));
    EXPECT_EQ(s.generated.back()->options.tools, "");
}

}  // namespace
}  // namespace tandem::gateway
