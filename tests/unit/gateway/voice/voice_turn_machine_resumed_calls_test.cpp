#include "voice_calling_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// Turns in which the words before a call were cut off, and which are then resumed.
namespace tandem::gateway {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

// The chunk before the calls was cut off, and the voice is speaking the rest of it.
struct speaking_the_rest : speaking_before_calls {
    speaking_the_rest() {
        say(phone, pause);
        say(phone, resume);
        chunk(2, 0, "moment. ", boundary::end);
        sent(phone);
        asked();
    }
};

TEST(words_before_a_call, that_were_cut_are_spoken_first_when_the_turn_is_resumed) {
    speaking_before_calls s;
    s.say(phone, R"({"type":"interrupt","heard":{"chunk":"1-0","chars":3}})");
    s.asked();
    s.say(phone, resume);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "resume 2", "await calls 2", "next 2"));
    s.chunk(2, 0, "moment. ", boundary::end);
    EXPECT_THAT(s.asked(), IsEmpty());
    s.say(phone, R"({"type":"continue","chunk":"2-0"})");
    s.end(2);
    EXPECT_THAT(s.asked(), ElementsAre("continue 2-0", "next 2", "check 3", "generate 3",
                                       "await calls 3", "next 3"));
    EXPECT_EQ(s.generated.back()->id, "u");
    EXPECT_EQ(s.generated.back()->options.tools, s.generated.front()->options.tools);
}

TEST(words_before_a_call, that_were_cut_have_an_end_after_which_the_turn_goes_on) {
    speaking_the_rest s;
    s.end(2);
    EXPECT_THAT(s.heard_by(phone), ElementsAre("end 2 tool_calls"));
    s.chunk(3, 0, "It is noon.");
    s.end(3);
    EXPECT_THAT(s.heard_by(phone), ElementsAre("chunk 3-0", "end 3"));
}

TEST(words_before_a_call, are_resumed_if_the_reply_still_runs) {
    calling s;
    s.say(phone, pause);
    s.end(1, finish_reason::interrupted);
    s.asked();
    s.say(phone, resume);
    EXPECT_THAT(s.asked(), Contains("resume 2"));
    s.end(2);
    EXPECT_THAT(s.asked(), Contains("generate 3"));
}

TEST(words_before_a_call, are_resumed_after_a_lost_socket) {
    speaking_before_calls s;
    s.drop(phone);
    s.attach(next_phone, resumed_session);
    EXPECT_THAT(s.asked(),
                ElementsAre("interrupt", "keep", "check 2", "resume 2", "await calls 2", "next 2"));
    s.end(2);
    EXPECT_THAT(s.asked(), Contains("generate 3"));
}

TEST(words_before_a_call, are_not_repeated_if_they_were_heard_without_a_socket) {
    speaking_before_calls s;
    s.drop(phone);
    s.asked();
    s.attach(next_phone, R"({"type":"start","session":"s-1","last":{"chunk":"1-0","share":1}})");
    EXPECT_THAT(s.asked(), ElementsAre("heard 1-0 1.000000", "check 2", "generate 2",
                                       "await calls 2", "next 2"));
}

TEST(words_before_a_call, that_the_voice_speaks_without_a_socket_are_kept_and_not_repeated) {
    speaking_before_calls s;
    s.drop(phone);
    s.asked();
    s.attach(next_phone,
             R"({"type":"start","session":"s-1","last":{"chunk":"1-0","speaking":true}})");
    EXPECT_THAT(s.asked(), ElementsAre("heard 1-0 1.000000", "check 2", "generate 2",
                                       "await calls 2", "next 2"));
    s.sent(next_phone);
    s.chunk(2, 0, "It is noon.");
    EXPECT_TRUE(s.sent(next_phone)[0].contains("early"));
}

TEST(words_before_a_call, that_were_cut_are_spoken_although_an_aside_was_the_last_thing_heard) {
    speaking_before_calls s;
    s.say(phone, R"({"type":"interrupt","heard":{"chunk":"1-0","chars":3}})");
    s.say(phone, R"({"type":"say","text":"Wait.","history":false})");
    s.chunk(2, 0, "Wait.", boundary::end);
    s.end(2);
    s.drop(phone);
    s.attach(next_phone, R"({"type":"start","session":"s-1","last":{"chunk":"2-0","share":1}})");
    s.asked();
    s.say(next_phone, resume);
    EXPECT_THAT(s.asked(), Contains("resume 3"));
}

TEST(words_before_a_call, precede_a_reply_to_results_that_waits_for_its_permission) {
    speaking_before_calls s;
    s.permits = false;
    s.say(phone, result("a", "noon"));
    s.say(phone, result("b", "four seats"));
    s.drop(phone);
    s.attach(next_phone, resumed_session);
    s.permit(2);
    s.asked();
    s.permit(3);
    EXPECT_THAT(s.asked(), ElementsAre("resume 3", "await calls 3", "next 3"));
    s.end(3);
    EXPECT_THAT(s.asked(), ElementsAre("answer a noon", "answer b four seats", "generate 2",
                                       "await calls 2", "next 2"));
    EXPECT_THAT(s.heard_by(next_phone), ElementsAre("ready", "end 3 tool_calls"));
}

TEST(words_before_a_call, that_were_heard_have_no_end_if_a_reply_to_results_waits) {
    for (const auto* last : {R"("share":1)", R"("speaking":true)"}) {
        SCOPED_TRACE(last);
        speaking_before_calls s;
        s.permits = false;
        s.say(phone, result("a", "noon"));
        s.say(phone, result("b", "four seats"));
        s.drop(phone);
        s.attach(next_phone, R"({"type":"start","session":"s-1","last":{"chunk":"1-0",)" +
                                 std::string(last) + "}}");
        EXPECT_EQ(s.sent(next_phone)[0]["turns"].size(), 1u);
        s.permit(2);
        s.end(2);
        EXPECT_THAT(s.heard_by(next_phone), ElementsAre("end 2"));
    }
}

TEST(the_rest_before_a_call, is_resumed_again) {
    speaking_the_rest s;
    s.say(phone, pause);
    s.end(2, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("interrupt", "next 2"));
    s.say(phone, resume);
    EXPECT_THAT(s.asked(), Contains("resume 3"));
    s.end(3);
    EXPECT_THAT(s.asked(), Contains("generate 4"));
}

TEST(the_rest_before_a_call, is_resumed_again_if_it_ended_meanwhile) {
    speaking_the_rest s;
    s.drop(phone);
    s.end(2);
    s.attach(next_phone, resumed_session);
    EXPECT_THAT(s.asked(), Contains("resume 3"));
    s.end(3);
    EXPECT_THAT(s.asked(), Contains("generate 4"));
}

// The reply with the rest has ended, and the voice is speaking its chunk. The next reply has no
// permission yet.
struct waiting_after_the_rest : speaking_the_rest {
    waiting_after_the_rest() {
        permits = false;
        end(2);
        asked();
    }
};

TEST(the_rest_before_a_call, is_resumed_once_if_the_socket_is_lost_before_the_reply_after_it) {
    waiting_after_the_rest s;
    s.drop(phone);
    s.attach(next_phone, resumed_session);
    EXPECT_THAT(s.asked(), ElementsAre("interrupt", "keep", "check 4"));
    EXPECT_EQ(s.sent(next_phone)[0]["turns"].size(), 2u);
    s.permit(4);
    s.end(4);
    s.permit(3);
    EXPECT_THAT(s.asked(), ElementsAre("resume 4", "await calls 4", "next 4", "generate 3",
                                       "await calls 3", "next 3"));
}

TEST(the_rest_before_a_call, is_not_repeated_if_it_was_heard_while_the_reply_after_it_waited) {
    waiting_after_the_rest s;
    s.drop(phone);
    s.attach(next_phone, R"({"type":"start","session":"s-1","last":{"chunk":"2-0","share":1}})");
    EXPECT_EQ(s.sent(next_phone)[0]["turns"].size(), 1u);
    s.asked();
    s.permit(3);
    EXPECT_THAT(s.asked(), ElementsAre("generate 3", "await calls 3", "next 3"));
}

TEST(the_rest_before_a_call, is_cut_by_the_user_while_the_reply_after_it_waits) {
    waiting_after_the_rest s;
    s.say(phone, more_words);
    s.permit(4);
    EXPECT_THAT(s.asked(), Contains("interrupt"));
}

TEST(the_rest_before_a_call, is_followed_by_a_reply_that_reads_results_that_came_meanwhile) {
    speaking_the_rest s;
    s.say(phone, kept_result("a", "noon"));
    EXPECT_THAT(s.asked(), ElementsAre("check 3"));
    s.end(2);
    EXPECT_THAT(s.asked(),
                ElementsAre("check 4", "answer a noon", "generate 4", "await calls 4", "next 4"));
}

TEST(the_rest_before_a_call, is_followed_by_a_reply_that_need_not_call_again) {
    auto setup = voice_session_driver::defaults();
    setup.generation.tool_choice = "required";
    session_with_tools s(setup);
    s.chunk(1, 0, "One moment. ");
    s.end_with_calls(1, {clock_call});
    s.say(phone, result("a", "noon"));
    s.say(phone, pause);
    s.say(phone, resume);
    s.end(2);
    EXPECT_EQ(s.generated.back()->options.tool_choice, "");
}

TEST(the_rest_before_a_call, is_followed_by_no_reply_if_the_user_speaks) {
    speaking_the_rest s;
    s.say(phone, more_words);
    s.end(2, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "interrupt", "next 2", "append Never mind",
                                       "generate 3", "await calls 3", "next 3"));
}

TEST(the_rest_before_a_call, is_followed_by_no_reply_if_it_fails) {
    speaking_the_rest s;
    s.end(2, finish_reason::error);
    EXPECT_THAT(s.heard_by(phone), ElementsAre("error no_model 2"));
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(the_rest_before_a_call, is_resumed_again_if_it_failed_before_its_first_chunk) {
    speaking_before_calls s;
    s.say(phone, pause);
    s.say(phone, resume);
    s.end(2, finish_reason::error);
    s.asked();
    s.say(phone, resume);
    EXPECT_THAT(s.asked(), Contains("resume 3"));
}

TEST(the_rest_before_a_call, is_followed_by_its_reply_if_history_has_settled_the_calls) {
    speaking_before_calls s;
    s.say(phone, pause);
    s.say(phone, resume);
    s.sent(phone);
    s.turns.on_reply_ended(
        s.now, 2, {.finish_reason = finish_reason::error, .error = errc::nothing_to_resume});
    s.wait(0ms);
    EXPECT_THAT(s.asked(), Contains("generate 3"));
    EXPECT_THAT(s.heard_by(phone), ElementsAre("end 2 tool_calls"));
}

TEST(the_rest_before_a_call, is_followed_by_no_reply_while_the_gateway_stops) {
    speaking_the_rest s;
    s.drain();
    s.end(2);
    EXPECT_THAT(s.heard_by(phone), ElementsAre("end 2"));
    EXPECT_TRUE(s.turns.is_over());
}

TEST(the_rest_before_a_call, is_followed_by_its_reply_on_another_gateway) {
    speaking_the_rest s;
    EXPECT_TRUE(s.turns.record().turn->has_called);
    s.permits = false;
    s.end(2);
    EXPECT_TRUE(s.turns.record().resumes);
}

TEST(a_resumed_turn, is_not_cut_if_the_continue_before_it_is_overdue) {
    voice_session_driver s;
    s.attach(phone, hello);
    s.chunk(1, 0, "Hello.", boundary::end);
    s.wait(31s);
    s.end(1);
    s.asked();
    s.say(phone, resume);
    s.end(2, finish_reason::error);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "resume 2", "next 2"));
}

}  // namespace
}  // namespace tandem::gateway
