#include "voice_calling_session.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// Words before calls that the listener has not heard when the reply to the results begins.
namespace tandem::gateway {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

// The reply to the results has begun, but its chunk waits for the end of the words before the
// calls.
struct answering_early : speaking_before_calls {
    answering_early() {
        say(phone, result("a", "noon"));
        say(phone, result("b", "four seats"));
        chunk(2, 0, "It is noon.");
        sent(phone);
        asked();
    }
};

TEST(words_before_results, that_were_cut_are_spoken_before_the_resumed_reply) {
    answering_early s;
    s.say(phone, R"({"type":"interrupt","heard":{"chunk":"1-0","chars":4}})");
    s.end(2, finish_reason::interrupted);
    s.asked();
    s.say(phone, resume);
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "resume 3", "await calls 3", "next 3"));
    EXPECT_THAT(s.spoken(phone), ElementsAre("moment."));
    s.chunk(3, 0, "It is noon.");
    EXPECT_THAT(s.spoken(phone), IsEmpty());
    s.say(phone, R"({"type":"continue","chunk":"3-0"})");
    EXPECT_THAT(s.heard_by(phone), ElementsAre("chunk 3-1"));
    s.say(phone, R"({"type":"continue","chunk":"3-1"})");
    EXPECT_THAT(s.asked(), ElementsAre("continue 3-0", "next 3"));
}

TEST(words_before_results, are_spoken_to_their_end_after_another_interruption) {
    answering_early s;
    s.say(phone, pause);
    s.end(2, finish_reason::interrupted);
    s.say(phone, resume);
    EXPECT_THAT(s.spoken(phone), ElementsAre("One moment."));
    s.say(phone, R"({"type":"interrupt","heard":{"chunk":"3-0","words":1}})");
    s.end(3, finish_reason::interrupted);
    s.say(phone, resume);
    EXPECT_THAT(s.spoken(phone), ElementsAre("moment."));
    s.say(phone, R"({"type":"continue","chunk":"4-0"})");
    s.say(phone, pause);
    s.end(4, finish_reason::interrupted);
    s.say(phone, resume);
    EXPECT_THAT(s.spoken(phone), IsEmpty());
}

TEST(words_before_results, are_spoken_to_their_end_after_a_lost_socket) {
    answering_early s;
    s.drop(phone);
    s.end(2, finish_reason::interrupted);
    s.attach(next_phone, R"({"type":"start","session":"s-1","last":{"chunk":"1-0","words":1}})");
    EXPECT_THAT(s.spoken(next_phone), ElementsAre("moment."));
}

TEST(words_before_results, that_the_voice_speaks_without_a_socket_are_not_repeated) {
    answering_early s;
    s.drop(phone);
    s.end(2, finish_reason::interrupted);
    s.attach(next_phone,
             R"({"type":"start","session":"s-1","last":{"chunk":"1-0","speaking":true}})");
    EXPECT_THAT(s.spoken(next_phone), IsEmpty());
    s.chunk(3, 0, "It is noon.");
    EXPECT_TRUE(s.sent(next_phone)[0].contains("early"));
}

TEST(words_before_results, are_spoken_although_the_voice_speaks_an_aside_without_a_socket) {
    answering_early s;
    s.say(phone, pause);
    s.end(2, finish_reason::interrupted);
    s.say(phone, R"({"type":"say","text":"Wait.","history":false})");
    s.chunk(3, 0, "Wait.", boundary::end);
    s.end(3);
    s.drop(phone);
    s.attach(next_phone,
             R"({"type":"start","session":"s-1","last":{"chunk":"3-0","speaking":true}})");
    s.sent(next_phone);
    s.say(next_phone, resume);
    EXPECT_THAT(s.spoken(next_phone), ElementsAre("One moment."));
}

TEST(words_before_results, that_were_heard_are_not_repeated) {
    for (const auto* heard :
         {R"({"type":"continue","chunk":"1-0"})", R"({"type":"heard","chunk":"1-0","share":1})",
          R"({"type":"heard","chunk":"2-0","chars":2})"}) {
        SCOPED_TRACE(heard);
        answering_early s;
        s.say(phone, heard);
        s.say(phone, pause);
        s.end(2, finish_reason::interrupted);
        s.say(phone, resume);
        EXPECT_THAT(s.spoken(phone), IsEmpty());
    }
}

TEST(words_before_results, are_not_spoken_in_a_later_turn) {
    answering_early s;
    s.say(phone, more_words);
    s.end(2, finish_reason::interrupted);
    s.say(phone, pause);
    s.end(3, finish_reason::interrupted);
    s.say(phone, resume);
    EXPECT_THAT(s.spoken(phone), IsEmpty());
}

TEST(words_before_results, of_several_replies_are_spoken_in_order) {
    answering_early s;
    s.end_with_calls(2, {{.id = "c", .name = "clock"}});
    s.say(phone, result("c", "one"));
    s.say(phone, R"({"type":"interrupt","heard":{"chunk":"1-0","words":1}})");
    s.end(3, finish_reason::interrupted);
    s.say(phone, resume);
    EXPECT_THAT(s.spoken(phone), ElementsAre("moment. It is noon."));
}

TEST(words_before_results, are_spoken_if_the_reply_to_the_results_calls_without_words) {
    speaking_before_calls s;
    s.say(phone, result("a", "noon"));
    s.say(phone, result("b", "four seats"));
    s.end_with_calls(2, {{.id = "c", .name = "clock"}});
    s.say(phone, R"({"type":"interrupt","heard":{"chunk":"1-0","words":1}})");
    s.sent(phone);
    s.say(phone, resume);
    EXPECT_EQ(s.sent(phone).at(0)["speech"], "moment.");
    EXPECT_THAT(s.asked(), Contains("generate 3"));
}

// The reply to the results has ended without words, but with another call.
struct answering_twice : speaking_before_calls {
    answering_twice() {
        say(phone, result("a", "noon"));
        say(phone, result("b", "four seats"));
        end_with_calls(2, {{.id = "c", .name = "clock"}});
    }
};

TEST(words_before_results, that_were_heard_are_not_repeated_after_calls_without_words) {
    answering_twice s;
    s.say(phone, result("c", "one"));
    s.say(phone, R"({"type":"continue","chunk":"1-0"})");
    s.say(phone, pause);
    s.end(3, finish_reason::interrupted);
    s.say(phone, resume);
    EXPECT_THAT(s.spoken(phone), IsEmpty());
}

TEST(words_before_results, that_were_heard_are_not_repeated_after_an_aside) {
    answering_twice s;
    s.say(phone, R"({"type":"say","text":"Wait.","history":false})");
    s.chunk(3, 0, "Wait.");
    EXPECT_TRUE(s.sent(phone).back().contains("early"));
    s.say(phone, R"({"type":"continue","chunk":"1-0"})");
    s.say(phone, R"({"type":"continue","chunk":"3-0"})");
    s.end(3);
    s.say(phone, result("c", "one"));
    s.say(phone, pause);
    s.end(4, finish_reason::interrupted);
    s.say(phone, resume);
    EXPECT_THAT(s.spoken(phone), IsEmpty());
}

TEST(words_before_results, are_spoken_after_a_lost_socket_before_the_reply_that_waits) {
    answering_twice s;
    s.permits = false;
    s.say(phone, result("c", "one"));
    s.drop(phone);
    s.attach(next_phone, resumed_session);
    s.permit(3);
    EXPECT_THAT(s.spoken(next_phone), ElementsAre("One moment."));
    EXPECT_THAT(s.asked(), Contains("generate 3"));
}

TEST(words_before_results, are_spoken_although_an_aside_was_heard_before_the_resume) {
    for (const auto* what : {"heard", "continue"}) {
        SCOPED_TRACE(what);
        answering_early s;
        s.say(phone, pause);
        s.end(2, finish_reason::interrupted);
        s.say(phone, R"({"type":"say","text":"Wait.","history":false})");
        s.chunk(3, 0, "Wait.");
        s.say(phone, R"({"chunk":"3-0","type":")" + std::string(what) +
                         (what == std::string("heard") ? R"(","share":1})" : "\"}"));
        s.end(3);
        s.sent(phone);
        s.say(phone, resume);
        EXPECT_THAT(s.spoken(phone), ElementsAre("One moment."));
    }
}

TEST(words_before_results, are_spoken_although_the_continue_of_an_aside_is_overdue) {
    answering_early s;
    s.say(phone, pause);
    s.end(2, finish_reason::interrupted);
    s.say(phone, R"({"type":"say","text":"Wait.","history":false})");
    s.chunk(3, 0, "Wait.", boundary::end);
    s.wait(31s);
    s.end(3);
    s.sent(phone);
    s.say(phone, resume);
    EXPECT_THAT(s.spoken(phone), ElementsAre("One moment."));
}

TEST(earlier_words, are_joined_as_their_reply_had_them) {
    voice_earlier_words words;
    words.add({1, 0}, "One mo", false);
    words.add({1, 1}, "ment,", false);
    words.add({1, 2}, "please.", true);
    words.add({2, 0}, "It is noon.", false);
    EXPECT_EQ(words.text(), "One moment, please. It is noon.");
    words.on_heard({1, 1}, 5);
    EXPECT_EQ(words.text(), "please. It is noon.");
}

TEST(earlier_words, are_bounded) {
    voice_earlier_words words;
    for (std::uint32_t i = 0; i < 100; ++i) words.add({1, i}, std::to_string(i), true);
    EXPECT_EQ(words.find({1, 0}), nullptr);
    EXPECT_NE(words.find({1, 99}), nullptr);
}

}  // namespace
}  // namespace tandem::gateway
