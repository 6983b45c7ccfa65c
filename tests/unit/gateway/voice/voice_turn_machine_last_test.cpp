// After the loss of a socket, the client reports on the next socket what the listener heard last.

#include "voice_session_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace tandem::gateway {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr voice_socket lost_socket = 1;
constexpr voice_socket new_socket = 2;
constexpr voice_socket newest_socket = 3;

std::string resumed_with(const std::string& last, const std::string& more = "") {
    return R"({"type":"start","session":"s-1","last":)" + last + more + "}";
}

// When the socket was lost, the voice had spoken the first sentence and received the second one.
struct lost_in_the_second_sentence : voice_session_driver {
    lost_in_the_second_sentence() {
        attach(lost_socket, hello);
        chunk(1, 0, "One two. ");
        say(lost_socket, R"({"type":"continue","chunk":"1-0"})");
        chunk(1, 1, "Three four. ");
        drop(lost_socket);
        asked();
    }
    // The lost reply has ended, and the client resumes the session.
    void resume_with(const std::string& last) {
        end(1, finish_reason::interrupted);
        attach(new_socket, resumed_with(last));
    }
    std::optional<api_error> find_fault(const std::string& start) const {
        return turns.find_fault(
            std::get<voice::start>(std::get<voice_message>(parse_voice_message(start))));
    }
};

TEST(voice_last, counts_as_heard_before_the_rest_is_resumed) {
    lost_in_the_second_sentence s;
    s.resume_with(R"({"chunk":"1-1","chars":5})");
    EXPECT_THAT(s.asked(), ElementsAre("heard 1-1 5", "check 2", "resume 2", "next 2"));
}

TEST(voice_last, is_heard_whole_if_only_its_continue_was_lost) {
    lost_in_the_second_sentence s;
    s.resume_with(R"({"chunk":"1-1","share":1})");
    EXPECT_THAT(s.asked(), ElementsAre("heard 1-1 1.000000", "check 2", "resume 2", "next 2"));
}

TEST(voice_last, counts_in_words_of_the_chunk) {
    lost_in_the_second_sentence s;
    s.resume_with(R"({"chunk":"1-1","words":1})");
    EXPECT_EQ(s.asked().front(), "heard 1-1 5");
}

TEST(voice_last, counts_while_the_lost_reply_ends) {
    lost_in_the_second_sentence s;
    s.attach(new_socket, resumed_with(R"({"chunk":"1-1","chars":5})"));
    EXPECT_THAT(s.asked(), ElementsAre("heard 1-1 5"));
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "resume 2", "next 2"));
}

TEST(voice_last, is_not_followed_by_a_reply_that_ready_does_not_name) {
    lost_in_the_second_sentence s;
    s.end(1, finish_reason::interrupted);
    s.attach(new_socket, R"({"type":"start","session":"s-1","text":"Stop","model":"other"})");
    EXPECT_THAT(s.sent(new_socket)[0]["turns"], IsEmpty());
    EXPECT_THAT(s.asked(), IsEmpty()) << "the words of the user were refused";
}

TEST(voice_last, counts_before_words_of_the_user) {
    lost_in_the_second_sentence s;
    s.end(1, finish_reason::interrupted);
    s.attach(new_socket, resumed_with(R"({"chunk":"1-1","chars":5})", R"(,"text":"Stop")"));
    EXPECT_THAT(s.asked(),
                ElementsAre("heard 1-1 5", "check 2", "append Stop", "generate 2", "next 2"));
}

TEST(voice_last, that_is_spoken_on_precedes_the_rest) {
    lost_in_the_second_sentence s;
    s.resume_with(R"({"chunk":"1-1","speaking":true})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "resume 2 after 1-1", "next 2"));
    s.sent(new_socket);
    s.chunk(2, 0, "Five. ");
    const auto sent = s.sent(new_socket);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0]["early"], true);
}

TEST(voice_last, that_is_spoken_on_is_heard_when_it_is_continued) {
    lost_in_the_second_sentence s;
    s.resume_with(R"({"chunk":"1-1","speaking":true})");
    s.asked();
    s.say(new_socket, R"({"type":"continue","chunk":"1-1"})");
    EXPECT_THAT(s.asked(), ElementsAre("heard 1-1 1.000000"));
    s.sent(new_socket);
    s.chunk(2, 0, "Five. ");
    EXPECT_FALSE(s.sent(new_socket).at(0).value("early", false));
}

TEST(voice_last, that_is_spoken_on_may_be_continued_before_the_rest_begins) {
    lost_in_the_second_sentence s;
    s.attach(new_socket, resumed_with(R"({"chunk":"1-1","speaking":true})"));
    s.say(new_socket, R"({"type":"continue","chunk":"1-1"})");
    EXPECT_THAT(s.asked(), ElementsAre("heard 1-1 1.000000"));
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "resume 2", "next 2"));
}

TEST(voice_last, that_is_spoken_on_is_heard_as_far_as_an_interrupt_says) {
    lost_in_the_second_sentence s;
    s.resume_with(R"({"chunk":"1-1","speaking":true})");
    s.chunk(2, 0, "Five. ");
    s.asked();
    s.say(new_socket, R"({"type":"interrupt","heard":{"chunk":"1-1","said":"Three"}})");
    EXPECT_EQ(s.asked().front(), "heard 1-1 5");
}

TEST(voice_last, that_is_spoken_on_outlives_another_lost_socket) {
    lost_in_the_second_sentence s;
    s.resume_with(R"({"chunk":"1-1","speaking":true})");
    s.drop(new_socket);
    s.end(2, finish_reason::interrupted);
    s.asked();
    s.attach(newest_socket, resumed_with(R"({"chunk":"1-1","speaking":true})"));
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "resume 3 after 1-1", "next 3"));
    s.say(newest_socket, R"({"type":"continue","chunk":"1-1"})");
    EXPECT_THAT(s.asked(), ElementsAre("heard 1-1 1.000000"));
}

TEST(voice_last, that_is_spoken_on_can_be_interrupted_when_the_rest_has_ended) {
    lost_in_the_second_sentence s;
    s.resume_with(R"({"chunk":"1-1","speaking":true})");
    s.asked();
    s.end(2);
    EXPECT_THAT(s.asked(), ElementsAre("interrupt")) << "so that reports count";
    s.say(new_socket, R"({"type":"interrupt","heard":{"chunk":"1-1","words":1}})");
    EXPECT_THAT(s.asked(), ElementsAre("heard 1-1 5"));
    s.drop(new_socket);
    s.attach(newest_socket, R"({"type":"start","session":"s-1"})");
    EXPECT_THAT(s.asked(), ElementsAre("keep")) << "the client interrupted it";
}

TEST(voice_last, that_is_spoken_on_can_be_interrupted_while_the_rest_ends) {
    lost_in_the_second_sentence s;
    s.resume_with(R"({"chunk":"1-1","speaking":true})");
    s.say(new_socket, R"({"type":"interrupt","heard":{"chunk":"1-1","words":1}})");
    s.asked();
    s.end(2);
    EXPECT_THAT(s.asked(), ElementsAre("interrupt"));
}

TEST(voice_last, that_is_spoken_on_and_was_continued_is_interrupted_no_longer) {
    lost_in_the_second_sentence s;
    s.resume_with(R"({"chunk":"1-1","speaking":true})");
    s.say(new_socket, R"({"type":"continue","chunk":"1-1"})");
    s.end(2);
    s.asked();
    s.say(new_socket, R"({"type":"interrupt"})");
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(voice_last, that_is_spoken_on_is_resumed_if_another_lost_socket_silenced_it) {
    for (const bool has_rest_ended : {true, false}) {
        SCOPED_TRACE(has_rest_ended);
        lost_in_the_second_sentence s;
        s.resume_with(R"({"chunk":"1-1","speaking":true})");
        if (has_rest_ended) s.end(2);
        s.drop(new_socket);
        if (!has_rest_ended) s.end(2);
        s.asked();
        s.attach(newest_socket, resumed_with(R"({"chunk":"1-1","words":1})"));
        EXPECT_THAT(s.asked(), ElementsAre("heard 1-1 5", "check 3", "resume 3", "next 3"));
    }
}

TEST(voice_last, is_spoken_no_longer_when_the_user_interrupts) {
    lost_in_the_second_sentence s;
    s.resume_with(R"({"chunk":"1-1","speaking":true})");
    s.drop(new_socket);
    s.end(2, finish_reason::interrupted);
    s.attach(newest_socket, resumed_with(R"({"chunk":"1-1","speaking":true})"));
    s.say(newest_socket, R"({"type":"interrupt"})");
    s.end(3, finish_reason::interrupted);
    s.asked();
    s.say(newest_socket, R"({"type":"start","text":"And now?"})");
    s.chunk(4, 0, "Now. ");
    EXPECT_FALSE(s.sent(newest_socket).back().value("early", false));
}

TEST(voice_last, that_ended_the_reply_leaves_nothing_to_resume) {
    for (const std::string last : {R"({"chunk":"1-1","share":1})", R"({"chunk":"1-1","chars":12})",
                                   R"({"chunk":"1-1","speaking":true})"}) {
        SCOPED_TRACE(last);
        lost_in_the_second_sentence s;
        s.end(1);
        s.attach(new_socket, resumed_with(last));
        for (const auto& what : s.asked()) EXPECT_THAT(what, HasSubstr("heard"));
        EXPECT_THAT(s.heard_by(new_socket), ElementsAre("ready", "end 1"));
    }
}

TEST(voice_last, that_ended_the_reply_can_be_interrupted_while_it_is_spoken_on) {
    lost_in_the_second_sentence s;
    s.end(1);
    s.attach(new_socket, resumed_with(R"({"chunk":"1-1","speaking":true})"));
    s.asked();
    s.say(new_socket, R"({"type":"interrupt","heard":{"chunk":"1-1","words":1}})");
    EXPECT_THAT(s.asked(), ElementsAre("heard 1-1 5", "interrupt"));
}

TEST(voice_last, does_not_end_a_reply_of_which_a_chunk_was_not_sent) {
    lost_in_the_second_sentence s;
    s.chunk(1, 2, "Five. ");
    s.end(1);
    s.attach(new_socket, resumed_with(R"({"chunk":"1-1","share":1})"));
    EXPECT_THAT(s.asked(), ::testing::Contains("resume 2"));
}

TEST(voice_last, of_an_earlier_reply_changes_nothing) {
    lost_in_the_second_sentence s;
    s.resume_with(R"({"chunk":"1-1","share":1})");
    s.drop(new_socket);
    s.end(2, finish_reason::interrupted);
    s.asked();
    s.attach(newest_socket, resumed_with(R"({"chunk":"1-1","share":1})"));
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "resume 3", "next 3"));
}

TEST(voice_last, of_a_text_outside_the_history_is_not_passed_on) {
    voice_session_driver s;
    s.attach(lost_socket);
    s.say(lost_socket, R"({"type":"say","text":"One moment.","history":false})");
    s.chunk(1, 0, "One moment.");
    s.drop(lost_socket);
    s.end(1, finish_reason::interrupted);
    s.asked();
    s.attach(new_socket, resumed_with(R"({"chunk":"1-0","share":0.5})"));
    EXPECT_THAT(s.asked(), IsEmpty());
}

// A session interrupts its conversation so that later reports of what was heard count. This session
// has only raw prompts, and no conversation yet.
TEST(voice_last, of_a_raw_prompt_does_not_interrupt_a_conversation_that_has_not_begun) {
    constexpr auto prompt = R"({"type":"start","prompt":"Once"})";
    voice_session_driver s;
    s.attach(lost_socket, prompt);
    s.chunk(1, 0, "One two. ");
    s.say(lost_socket, prompt);
    s.drop(lost_socket);
    s.attach(new_socket, resumed_with(R"({"chunk":"1-0","speaking":true})"));
    s.end(1, finish_reason::interrupted);
    s.say(new_socket, R"({"type":"interrupt"})");
    s.asked();
    s.end(2, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(voice_last, is_refused_if_the_session_has_not_sent_it) {
    const lost_in_the_second_sentence s;
    for (const std::string id : {"1-2", "2-0", "0-0", "9-9"}) {
        const auto fault = s.find_fault(resumed_with(R"({"chunk":")" + id + R"(","chars":1})"));
        ASSERT_TRUE(fault) << id;
        EXPECT_EQ(fault->code, "unknown_chunk");
        EXPECT_EQ(fault->param, "last.chunk");
        EXPECT_THAT(fault->message, HasSubstr("\"" + id + "\""));
    }
    EXPECT_FALSE(s.find_fault(resumed_with(R"({"chunk":"1-1","chars":1})")));
    EXPECT_FALSE(s.find_fault(R"({"type":"start","session":"s-1"})"));
}

TEST(voice_last, is_too_late_on_a_socket_that_has_the_session) {
    lost_in_the_second_sentence s;
    s.resume_with(R"({"chunk":"1-1","share":1})");
    s.sent(new_socket);
    s.say(new_socket, resumed_with(R"({"chunk":"1-1","chars":1})", R"(,"text":"Hi")"));
    EXPECT_EQ(s.sent(new_socket).back()["param"], "last");
}

}  // namespace
}  // namespace tandem::gateway
