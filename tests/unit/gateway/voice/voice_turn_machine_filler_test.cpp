#include "voice_session_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// Words for a listener who waits for a reply.
namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr voice_socket ear = 7;

std::string asked_with_filler(const std::string& more = {}) {
    return R"({"type":"start","turn":"t","text":"A table?","filler":{"after_ms":800,)"
           R"("texts":["One moment.","Let me see."]})" +
           more + "}";
}
const std::string tools_too = R"(,"options":{"tools":[{"function":{"name":"clock"}}]})";
const std::string kept_in_history =
    R"({"type":"start","text":"A table?","filler":{"after_ms":800,"history":true,"texts":["Hm."]}})";
const std::string filler_spoken = R"({"type":"continue","chunk":"1-0"})";
const std::string hush = R"({"type":"interrupt"})";

const tool_call clock_function{.id = "a", .name = "clock", .arguments = "{}"};

struct slow_session : voice_session_driver {
    explicit slow_session(const std::string& start = asked_with_filler()) {
        attach(ear, start);
        sent(ear);
        asked();
    }
};

struct session_with_filler : slow_session {
    explicit session_with_filler(const std::string& start = asked_with_filler())
        : slow_session(start) {
        wait(800ms);
        sent(ear);
    }
};

TEST(a_filler, is_the_first_chunk_of_a_reply_whose_answer_is_late) {
    slow_session s;
    EXPECT_EQ(s.turns.next_check(), s.now + 800ms);
    s.wait(799ms);
    EXPECT_THAT(s.sent(ear), IsEmpty());
    s.wait(1ms);
    const auto sent = s.sent(ear);
    ASSERT_THAT(sent, SizeIs(1));
    EXPECT_EQ(sent[0]["id"], "1-0");
    EXPECT_EQ(sent[0]["turn"], "t");
    EXPECT_EQ(sent[0]["speech"], "One moment.");
    EXPECT_EQ(sent[0]["filler"], true);
    EXPECT_THAT(s.asked(), IsEmpty()) << "the library knows nothing of it";
}

TEST(a_filler, is_not_spoken_if_the_answer_comes_in_time) {
    slow_session s;
    s.wait(700ms);
    s.chunk(1, 0, "Yes. ");
    s.say(ear, R"({"type":"continue","chunk":"1-0"})");
    s.wait(2s);
    EXPECT_THAT(s.heard_by(ear), ElementsAre("chunk 1-0"));
}

TEST(a_filler, is_off_by_default) {
    slow_session s(hello);
    EXPECT_EQ(s.turns.next_check(), std::nullopt);
}

TEST(a_filler, is_followed_by_the_answer_after_its_continue) {
    session_with_filler s;
    s.chunk(1, 0, "Yes. ");
    EXPECT_THAT(s.sent(ear), IsEmpty()) << "it waits";
    s.say(ear, filler_spoken);
    const auto sent = s.sent(ear);
    ASSERT_THAT(sent, SizeIs(1));
    EXPECT_EQ(sent[0]["id"], "1-1");
    EXPECT_EQ(sent[0]["seq"], 1);
    EXPECT_FALSE(sent[0].contains("filler"));
    EXPECT_THAT(s.asked(), IsEmpty());
    s.say(ear, R"({"type":"speaking","chunk":"1-1","ends_in_ms":900})");
    s.say(ear, R"({"type":"heard","chunk":"1-1","chars":2})");
    s.say(ear, R"({"type":"continue","chunk":"1-1"})");
    EXPECT_THAT(s.asked(),
                ElementsAre("speaks 1-0 for 900 ms", "heard 1-0 2", "continue 1-0", "next 1"));
}

TEST(a_filler, may_end_before_the_answer_comes) {
    session_with_filler s;
    s.say(ear, filler_spoken);
    s.wait(5s);
    EXPECT_THAT(s.heard_by(ear), IsEmpty()) << "one in a turn";
    s.chunk(1, 0, "Yes. ");
    EXPECT_THAT(s.heard_by(ear), ElementsAre("chunk 1-1"));
}

TEST(a_filler, does_not_hold_up_the_answer_if_its_continue_never_comes) {
    session_with_filler s;
    s.chunk(1, 0, "Yes. ");
    s.wait(30s);
    EXPECT_THAT(s.heard_by(ear), ElementsAre("chunk 1-1"));
    EXPECT_THAT(s.asked(), IsEmpty()) << "the answer waits for its own continue";
}

TEST(a_filler, is_another_one_in_the_next_turn) {
    session_with_filler s;
    s.end(1, finish_reason::error);
    s.say(ear, asked_with_filler());
    s.sent(ear);
    s.wait(800ms);
    EXPECT_EQ(s.sent(ear)[0]["speech"], "Let me see.");
}

TEST(a_filler, is_unknown_to_the_library_when_it_is_heard) {
    session_with_filler s;
    s.say(ear, R"({"type":"speaking","chunk":"1-0","ends_in_ms":900})");
    s.say(ear, R"({"type":"heard","chunk":"1-0","chars":2})");
    s.say(ear, filler_spoken);
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(a_filler, is_in_history_on_request_if_it_was_spoken) {
    session_with_filler s(kept_in_history);
    s.say(ear, filler_spoken);
    s.say(ear, filler_spoken);
    EXPECT_THAT(s.asked(), ElementsAre("filler Hm."));
    session_with_filler interrupted(kept_in_history);
    interrupted.say(ear, hush);
    EXPECT_THAT(interrupted.asked(), ElementsAre("interrupt"));
}

TEST(a_filler, is_interrupted_with_its_turn) {
    session_with_filler s;
    s.chunk(1, 0, "Yes. ");
    s.say(ear, R"({"type":"interrupt","heard":{"chunk":"1-0","chars":3}})");
    EXPECT_THAT(s.asked(), ElementsAre("interrupt", "next 1"));
    s.say(ear, filler_spoken);
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.heard_by(ear), ElementsAre("end 1 interrupted")) << "and the answer is not sent";
    s.say(ear, R"({"type":"resume"})");
    s.wait(5s);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "resume 2", "next 2"));
    EXPECT_THAT(s.heard_by(ear), IsEmpty());
}

TEST(a_filler, is_not_spoken_after_an_interrupt) {
    slow_session s;
    s.say(ear, hush);
    s.wait(2s);
    EXPECT_THAT(s.heard_by(ear), IsEmpty());
}

TEST(a_filler, is_not_part_of_the_text_of_its_reply) {
    session_with_filler s;
    s.chunk(1, 0, "Yes. ");
    s.say(ear, filler_spoken);
    s.say(ear, R"({"type":"continue","chunk":"1-1"})");
    s.sent(ear);
    s.end(1, finish_reason::eos, "Yes. ");
    EXPECT_EQ(s.sent(ear)[0]["text"], "Yes. ");
}

TEST(a_filler, counts_from_the_message_that_asked) {
    slow_session s(hello);
    s.say(ear, asked_with_filler());
    s.wait(900ms);
    EXPECT_THAT(s.heard_by(ear), IsEmpty()) << "the earlier reply is not over";
    s.end(1, finish_reason::interrupted);
    s.wait(0ms);
    EXPECT_THAT(s.heard_by(ear), ElementsAre("end 1 interrupted", "chunk 2-0"));
}

TEST(a_filler, precedes_the_chunk_that_a_call_names) {
    session_with_filler s(asked_with_filler(tools_too));
    s.chunk(1, 0, "I will look. ");
    s.asked();
    s.call(1, {clock_function}, 0);
    EXPECT_EQ(s.sent(ear)[0]["after"], "1-1");
    EXPECT_THAT(s.asked(), IsEmpty()) << "the end must not overtake the chunk";
    s.say(ear, filler_spoken);
    EXPECT_THAT(s.asked(), ElementsAre("next 1"));
    s.end_with_calls(1, {clock_function});
    EXPECT_THAT(s.heard_by(ear), ElementsAre("chunk 1-1", "end 1 tool_calls"));
}

TEST(a_filler, is_named_by_no_call_that_comes_with_the_end) {
    session_with_filler s(asked_with_filler(tools_too));
    s.end_with_calls(1, {clock_function});
    EXPECT_FALSE(s.sent(ear)[0].contains("after"));
}

TEST(a_filler, may_precede_the_reply_to_results_if_the_turn_had_none) {
    slow_session s(asked_with_filler(tools_too));
    s.end_with_calls(1, {clock_function});
    s.wait(5s);
    s.say(ear, R"({"type":"result","call":"a","content":"noon"})");
    s.sent(ear);
    s.wait(800ms);
    EXPECT_THAT(s.heard_by(ear), ElementsAre("chunk 2-0"));
    session_with_filler again(asked_with_filler(tools_too));
    again.say(ear, filler_spoken);
    again.end_with_calls(1, {clock_function});
    again.say(ear, R"({"type":"result","call":"a","content":"noon"})");
    again.sent(ear);
    again.wait(5s);
    EXPECT_THAT(again.heard_by(ear), IsEmpty());
}

TEST(a_filler, waits_for_the_words_before_a_call) {
    slow_session s(asked_with_filler(tools_too));
    s.chunk(1, 0, "I will look. ");
    s.end_with_calls(1, {clock_function});
    s.say(ear, R"({"type":"result","call":"a","content":"noon"})");
    s.sent(ear);
    s.wait(5s);
    EXPECT_THAT(s.heard_by(ear), IsEmpty());
    s.say(ear, R"({"type":"continue","chunk":"1-0"})");
    s.wait(800ms);
    EXPECT_THAT(s.heard_by(ear), ElementsAre("chunk 2-0"));
}

TEST(a_filler, does_not_count_in_the_time_to_the_answer) {
    session_with_filler s;
    s.wait(200ms);
    s.chunk(1, 0, "Yes. ");
    s.wait(1s);
    s.say(ear, filler_spoken);
    s.end(1);
    ASSERT_THAT(s.first_chunks, SizeIs(1));
    EXPECT_EQ(s.first_chunks[0].since_asked, 1s);
}

}  // namespace
}  // namespace tandem::gateway
