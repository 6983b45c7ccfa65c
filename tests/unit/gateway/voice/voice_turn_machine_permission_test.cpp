#include "voice_session_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// Turns that the key's limits or the prompt policy may refuse, immediately or later.
namespace tandem::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr voice_socket checked_socket = 7;
constexpr voice_socket next_socket = 8;

const std::string wait_for_me = R"({"type":"start","text":"Wait"})";

// A session while the voice speaks the first sentence of a reply.
struct turn_to_check : voice_session_driver {
    turn_to_check() {
        attach(checked_socket, hello);
        chunk(1, 0, "One. ");
        sent(checked_socket);
        asked();
    }
};

TEST(voice_permission, begins_no_turn_that_is_not_permitted) {
    voice_session_driver s;
    s.permits = false;
    s.attach(checked_socket, hello);
    EXPECT_THAT(s.asked(), ElementsAre("check 1"));
    s.refuse(1);
    EXPECT_THAT(s.heard_by(checked_socket), ElementsAre("ready", "error policy 1"));
    EXPECT_THAT(s.asked(), IsEmpty());
    s.permit(1);
    EXPECT_THAT(s.asked(), IsEmpty()) << "it was refused";
}

TEST(voice_permission, begins_a_turn_that_was_permitted_whatever_is_said_of_it_later) {
    turn_to_check s;
    s.say(checked_socket, wait_for_me);
    s.refuse(2);
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.heard_by(checked_socket), ElementsAre("end 1 interrupted"));
    EXPECT_THAT(s.generated.back()->number, 2);
}

TEST(voice_permission, ends_a_turn_once_that_is_refused_after_its_interrupt) {
    voice_session_driver s;
    s.permits = false;
    s.attach(checked_socket, hello);
    s.say(checked_socket, R"({"type":"interrupt"})");
    EXPECT_THAT(s.heard_by(checked_socket), ElementsAre("ready"));
    s.refuse(1);
    s.permit(1);
    EXPECT_THAT(s.heard_by(checked_socket), ElementsAre("error policy 1"));
    EXPECT_THAT(s.asked(), ElementsAre("check 1"));
}

TEST(voice_permission, waits_for_each_permission_in_the_order_of_the_turns) {
    voice_session_driver s;
    s.permits = false;
    s.attach(checked_socket, hello);
    s.say(checked_socket, wait_for_me);
    s.asked();
    s.permit(2);
    EXPECT_THAT(s.asked(), IsEmpty());
    s.permit(1);
    EXPECT_THAT(s.asked(), ElementsAre("open with 1", "append Wait", "generate 2", "next 2"));
}

TEST(voice_permission, that_is_refused_leaves_the_running_reply_alone) {
    for (const auto* start :
         {R"({"type":"start","text":"Wait"})", R"({"type":"start","prompt":"Once"})"}) {
        turn_to_check s;
        s.permits = false;
        s.say(checked_socket, start);
        EXPECT_THAT(s.asked(), ElementsAre("check 2")) << start;
        s.refuse(2);
        s.say(checked_socket, R"({"type":"continue","chunk":"1-0"})");
        s.chunk(1, 1, "Two. ", boundary::end);
        EXPECT_THAT(s.heard_by(checked_socket), ElementsAre("error policy 2", "chunk 1-1"))
            << start;
    }
}

TEST(voice_permission, that_is_refused_leaves_calls_open) {
    turn_to_check s;
    s.call(1, {{.id = "a", .name = "clock", .arguments = "{}"}}, 0);
    s.end(1, finish_reason::tool_calls);
    s.sent(checked_socket);
    s.permits = false;
    s.say(checked_socket, wait_for_me);
    s.refuse(2);
    EXPECT_THAT(s.heard_by(checked_socket), ElementsAre("error policy 2"));
    s.say(checked_socket, R"({"type":"result","call":"a","content":"noon"})");
    EXPECT_THAT(s.heard_by(checked_socket), IsEmpty());
}

TEST(voice_permission, that_is_refused_leaves_earlier_turns_waiting) {
    turn_to_check s;
    s.say(checked_socket, wait_for_me);
    s.permits = false;
    s.say(checked_socket, R"({"type":"start","text":"No, go on"})");
    s.refuse(3);
    s.asked();
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("append Wait", "generate 2", "next 2"));
}

TEST(voice_permission, that_comes_late_interrupts_the_reply_then) {
    turn_to_check s;
    s.permits = false;
    s.say(checked_socket, wait_for_me);
    s.say(checked_socket, R"({"type":"say","text":"Bye."})");
    s.asked();
    s.permit(2);
    s.permit(3);
    EXPECT_THAT(s.asked(), ElementsAre("interrupt", "next 1"));
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("append Wait", "generate 2", "next 2"));
    s.end(2);
    EXPECT_THAT(s.asked(), ElementsAre("say 3 Bye.", "next 3"));
}

// A key may have only one reply at a time.
TEST(voice_permission, is_kept_by_no_turn_that_waits_for_the_next_socket) {
    turn_to_check s;
    s.say(checked_socket, R"({"type":"say","text":"Bye."})");
    s.drop(checked_socket);
    EXPECT_TRUE(s.turns.is_busy());
    s.end(1, finish_reason::interrupted);
    EXPECT_FALSE(s.turns.is_busy());
    s.asked();
    s.attach(next_socket, R"({"type":"start","session":"s-1"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2 again", "check 3", "resume 3", "next 3"));
    s.end(3);
    EXPECT_THAT(s.asked(), ElementsAre("say 2 Bye.", "next 2"));
}

TEST(voice_permission, that_comes_without_a_socket_is_asked_for_again) {
    turn_to_check s;
    s.permits = false;
    s.say(checked_socket, wait_for_me);
    s.drop(checked_socket);
    s.permit(2);
    s.end(1, finish_reason::interrupted);
    s.asked();
    s.attach(next_socket, R"({"type":"start","session":"s-1"})");
    s.refuse(2);
    EXPECT_EQ(s.heard_by(next_socket).back(), "error policy 2");
}

TEST(voice_permission, that_is_still_open_is_not_asked_for_again) {
    turn_to_check s;
    s.permits = false;
    s.say(checked_socket, R"({"type":"say","text":"Bye."})");
    s.asked();
    s.drop(checked_socket);
    s.attach(next_socket, R"({"type":"start","session":"s-1"})");
    EXPECT_THAT(s.asked(), ElementsAre("interrupt", "next 1", "keep"));
}

}  // namespace
}  // namespace tandem::gateway
