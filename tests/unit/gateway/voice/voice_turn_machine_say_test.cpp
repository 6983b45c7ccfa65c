#include "voice_session_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// Text that a client sends to have it spoken as a reply.
namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr voice_socket mobile = 7;
constexpr voice_socket next_mobile = 8;

const std::string opening =
    R"({"type":"start","messages":[{"role":"system","content":"Be kind."}]})";
const std::string greet = R"({"type":"say","turn":"g","text":"Good evening."})";
const std::string one_moment = R"({"type":"say","turn":"f","text":"One moment.","history":false})";
const std::string time_with_tools =
    R"({"type":"start","turn":"t","text":"Time?","options":{"tools":[{"function":{"name":"clock"}}]}})";
const std::string spoken_before_call = R"({"type":"continue","chunk":"1-0"})";
const std::string noon = R"({"type":"result","call":"a","content":"noon"})";
const std::string barge_in = R"({"type":"interrupt"})";

const tool_call what_time{.id = "a", .name = "clock", .arguments = "{}"};

struct opened_session : voice_session_driver {
    opened_session() {
        attach(mobile, opening);
        sent(mobile);
        asked();
    }
};

struct replying_session : voice_session_driver {
    replying_session() {
        attach(mobile, hello);
        chunk(1, 0, "Hello. ");
        sent(mobile);
        asked();
    }
};

// A function runs while the words before its call are spoken.
struct session_with_open_call : voice_session_driver {
    session_with_open_call() {
        attach(mobile, time_with_tools);
        chunk(1, 0, "I will see. ");
        call(1, {what_time}, 0);
        end_with_calls(1, {what_time});
        sent(mobile);
        asked();
    }
};

struct session_with_silent_call : session_with_open_call {
    session_with_silent_call() {
        say(mobile, spoken_before_call);
        asked();
    }
};

TEST(a_given_text, is_a_reply_with_chunks_and_an_end) {
    opened_session s;
    s.say(mobile, greet);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "say 2 Good evening.", "next 2"));
    s.chunk(2, 0, "Good evening.");
    EXPECT_EQ(s.sent(mobile)[0]["turn"], "g");
    s.say(mobile, R"({"type":"continue","chunk":"2-0"})");
    EXPECT_THAT(s.asked(), ElementsAre("continue 2-0", "next 2"));
    s.end(2);
    const auto sent = s.sent(mobile);
    EXPECT_EQ(sent[0]["type"], "end");
    EXPECT_EQ(sent[0]["turn"], "g");
    EXPECT_THAT(s.first_chunks, IsEmpty()) << "nobody waited for an answer";
}

TEST(a_given_text, may_be_the_first_of_a_conversation) {
    for (const auto& [message, spoken] : {std::pair(greet, "say 1 Good evening."),
                                          std::pair(one_moment, "say aside 1 One moment.")}) {
        voice_session_driver s;
        s.attach(mobile);
        s.say(mobile, message);
        EXPECT_THAT(s.asked(), ElementsAre("check 1", "open with 0", spoken, "next 1"));
    }
}

TEST(a_given_text, is_spoken_after_the_running_reply) {
    for (const auto& [message, spoken] : {std::pair(greet, "say 2 Good evening."),
                                          std::pair(one_moment, "say aside 2 One moment.")}) {
        replying_session s;
        s.say(mobile, message);
        EXPECT_THAT(s.asked(), ElementsAre("check 2"));
        s.end(1);
        EXPECT_THAT(s.asked(), ElementsAre(spoken, "next 2"));
    }
}

TEST(a_given_text, can_be_interrupted) {
    opened_session s;
    s.say(mobile, greet);
    s.chunk(2, 0, "Good evening.");
    s.asked();
    s.say(mobile, R"({"type":"interrupt","heard":{"chunk":"2-0","chars":4}})");
    EXPECT_THAT(s.asked(), ElementsAre("heard 2-0 4", "interrupt", "next 2"));
    s.end(2, finish_reason::interrupted);
    s.say(mobile, R"({"type":"resume"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "resume 3", "next 3"));
}

TEST(a_given_text, is_not_spoken_when_the_user_speaks_before_it) {
    for (const auto& message : {barge_in, hello}) {
        replying_session s;
        s.say(mobile, greet);
        s.say(mobile, message);
        s.end(1, finish_reason::interrupted);
        EXPECT_THAT(s.heard_by(mobile), ElementsAre("end 1 interrupted", "end 2 interrupted"));
        EXPECT_THAT(s.asked(), ::testing::Not(::testing::Contains("say 2 Good evening.")));
    }
}

TEST(a_given_text, is_checked_and_limited_as_other_turns) {
    auto setup = voice_session_driver::defaults();
    setup.limits.waiting_turns = 1;
    voice_session_driver s(setup);
    s.attach(mobile);
    s.permits = false;
    s.say(mobile, greet);
    s.say(mobile, greet);
    s.refuse(1);
    EXPECT_THAT(s.heard_by(mobile), ElementsAre("ready", "error too_many_turns", "error policy 1"));
    EXPECT_THAT(s.asked(), ElementsAre("check 1"));
    s.drain();
    s.say(mobile, greet);
    EXPECT_TRUE(s.turns.is_over());
}

TEST(a_given_text, calls_no_functions) {
    voice_session_driver s;
    s.attach(mobile, R"({"type":"start","options":{"tools":[{"function":{"name":"clock"}}]}})");
    s.say(mobile, greet);
    EXPECT_THAT(s.asked(), ElementsAre("check 1", "open with 0", "say 1 Good evening.", "next 1"));
}

TEST(a_given_text, follows_the_rest_of_a_reply_that_a_lost_socket_interrupted) {
    replying_session s;
    s.say(mobile, greet);
    s.drop(mobile);
    s.end(1, finish_reason::interrupted);
    s.asked();
    s.attach(next_mobile, R"({"type":"start","session":"s-1"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2 again", "check 3", "resume 3", "next 3"));
    s.end(3);
    EXPECT_THAT(s.asked(), ElementsAre("say 2 Good evening.", "next 2"));
}

TEST(a_given_text, continues_after_a_lost_socket) {
    opened_session s;
    s.say(mobile, greet);
    s.chunk(2, 0, "Good evening.");
    s.drop(mobile);
    s.end(2, finish_reason::interrupted);
    s.asked();
    s.attach(next_mobile, R"({"type":"start","session":"s-1"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "resume 3", "next 3"));
}

TEST(an_aside, is_interrupted_outside_of_the_history) {
    opened_session s;
    s.say(mobile, one_moment);
    s.chunk(2, 0, "One moment.");
    s.asked();
    s.say(mobile, R"({"type":"interrupt","heard":{"chunk":"2-0","chars":4}})");
    EXPECT_THAT(s.asked(), ElementsAre("interrupt outside", "next 2"));
}

TEST(an_aside, is_not_resumed_after_a_lost_socket) {
    opened_session s;
    s.say(mobile, one_moment);
    s.drop(mobile);
    s.end(2, finish_reason::interrupted);
    s.asked();
    s.attach(next_mobile, R"({"type":"start","session":"s-1"})");
    EXPECT_THAT(s.heard_by(next_mobile), ElementsAre("ready", "end 2 interrupted"));
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(an_aside, is_spoken_while_a_function_runs) {
    session_with_silent_call s;
    s.say(mobile, one_moment);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "say aside 2 One moment.", "next 2"));
    s.chunk(2, 0, "One moment.");
    EXPECT_THAT(s.asked(), IsEmpty()) << "its end waits for the voice, unlike that of a caller";
    s.end(2);
    EXPECT_THAT(s.heard_by(mobile), ElementsAre("chunk 2-0", "end 2")) << "the call is still open";
    s.say(mobile, noon);
    EXPECT_THAT(s.asked(),
                ElementsAre("check 3", "answer a noon", "generate 3", "await calls 3", "next 3"));
    EXPECT_EQ(s.generated.back()->id, "t");
}

TEST(an_aside, precedes_the_reply_to_a_result_that_comes_meanwhile) {
    session_with_silent_call s;
    s.say(mobile, one_moment);
    s.chunk(2, 0, "One moment.");
    s.asked();
    s.say(mobile, noon);
    EXPECT_THAT(s.asked(), IsEmpty());
    s.end(2);
    EXPECT_THAT(s.asked(),
                ElementsAre("check 3", "answer a noon", "generate 3", "await calls 3", "next 3"));
}

TEST(an_aside, begins_when_the_words_before_the_call_were_spoken) {
    session_with_open_call s;
    s.say(mobile, one_moment);
    EXPECT_THAT(s.asked(), ElementsAre("check 2"));
    s.say(mobile, noon);
    EXPECT_THAT(s.asked(), IsEmpty()) << "it came before the result";
    s.say(mobile, spoken_before_call);
    EXPECT_THAT(s.asked(), ElementsAre("continue 1-0", "say aside 2 One moment.", "next 2"));
    s.end(2);
    EXPECT_THAT(s.asked(),
                ElementsAre("check 3", "answer a noon", "generate 3", "await calls 3", "next 3"));
}

TEST(an_aside, does_not_wait_for_a_continue_that_never_comes) {
    session_with_open_call s;
    s.say(mobile, one_moment);
    s.asked();
    EXPECT_EQ(s.turns.next_check(), s.now + 30s);
    s.wait(30s);
    EXPECT_THAT(s.asked(), ElementsAre("say aside 2 One moment.", "next 2"));
}

TEST(an_aside, follows_the_reply_to_results_that_came_before_it) {
    session_with_silent_call s;
    s.permits = false;
    s.say(mobile, noon);
    s.say(mobile, one_moment);
    s.permit(3);
    s.permit(2);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "check 3", "answer a noon", "generate 2",
                                       "await calls 2", "next 2"));
    s.end(2);
    EXPECT_THAT(s.asked(), ElementsAre("say aside 3 One moment.", "next 3"));
}

TEST(an_aside, follows_results_that_came_while_the_caller_was_running) {
    voice_session_driver s;
    s.attach(mobile, time_with_tools);
    s.call(1, {what_time});
    s.say(mobile, noon);
    s.say(mobile, one_moment);
    s.asked();
    s.end_with_calls(1, {what_time});
    EXPECT_THAT(s.asked(),
                ElementsAre("check 3", "answer a noon", "generate 3", "await calls 3", "next 3"));
}

TEST(an_aside, overtakes_a_given_text_that_history_keeps_while_a_function_runs) {
    session_with_silent_call s;
    s.say(mobile, greet);
    s.say(mobile, one_moment);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "check 3", "say aside 3 One moment.", "next 3"));
    s.end(3);
    EXPECT_THAT(s.asked(), IsEmpty());
    s.say(mobile, noon);
    s.end(4);
    EXPECT_THAT(s.asked(), ElementsAre("check 4", "answer a noon", "generate 4", "await calls 4",
                                       "next 4", "say 2 Good evening.", "next 2"));
}

TEST(an_aside, that_is_refused_does_not_hold_up_results) {
    session_with_silent_call s;
    s.permits = false;
    s.say(mobile, one_moment);
    s.say(mobile, noon);
    s.refuse(2);
    s.permit(3);
    EXPECT_THAT(s.heard_by(mobile), ElementsAre("error policy 2"));
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "check 3", "answer a noon", "generate 3",
                                       "await calls 3", "next 3"));
}

TEST(an_aside, that_is_interrupted_has_the_calls_dropped) {
    session_with_silent_call s;
    s.say(mobile, one_moment);
    s.chunk(2, 0, "One moment.");
    s.sent(mobile);
    s.asked();
    s.say(mobile, barge_in);
    EXPECT_THAT(s.heard_by(mobile), ElementsAre("dropped a interrupted"));
    EXPECT_THAT(s.asked(), ElementsAre("interrupt outside", "next 2"));
    s.end(2, finish_reason::interrupted);
    s.say(mobile, R"({"type":"resume"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "generate 3", "await calls 3", "next 3"))
        << "the model replies to what history keeps of the call";
}

TEST(an_aside, that_is_lost_with_its_socket_has_the_model_reply_to_the_history) {
    session_with_silent_call s;
    s.say(mobile, one_moment);
    s.drop(mobile);
    s.end(2, finish_reason::interrupted);
    s.asked();
    s.attach(next_mobile, R"({"type":"start","session":"s-1"})");
    EXPECT_THAT(s.heard_by(next_mobile),
                ElementsAre("ready", "dropped a interrupted", "end 2 interrupted"));
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "generate 3", "await calls 3", "next 3"));
    EXPECT_EQ(s.generated.back()->id, "t");
}

TEST(an_aside, lets_the_time_for_results_run) {
    session_with_silent_call s;
    s.say(mobile, one_moment);
    s.sent(mobile);
    s.wait(60s);
    EXPECT_THAT(s.heard_by(mobile), ElementsAre("dropped a timeout"));
    s.asked();
    s.end(2);
    EXPECT_THAT(s.asked(),
                ElementsAre("check 3", "answer for now a No result: the function took too long.",
                            "generate 3", "await calls 3", "next 3"));
}

TEST(a_given_text, that_history_keeps_waits_for_the_reply_to_results) {
    session_with_silent_call s;
    s.say(mobile, greet);
    EXPECT_THAT(s.asked(), ElementsAre("check 2"));
    s.say(mobile, noon);
    s.end(3);
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "answer a noon", "generate 3", "await calls 3",
                                       "next 3", "say 2 Good evening.", "next 2"));
}

}  // namespace
}  // namespace tandem::gateway
