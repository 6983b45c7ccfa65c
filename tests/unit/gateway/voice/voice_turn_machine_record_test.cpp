// Another gateway resumes a session from its record.

#include "voice_calling_session.hpp"
#include "voice_session_driver.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <string>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr voice_socket socket_here = 1;
constexpr voice_socket socket_there = 2;

// The voice is speaking the second sentence, and the listener has heard the first.
struct speaking_session : voice_session_driver {
    speaking_session() {
        attach(socket_here, R"({"type":"start","turn":"t1","text":"Hello","options":{"seed":7}})");
        chunk(1, 0, "One two. ");
        say(socket_here, R"({"type":"continue","chunk":"1-0"})");
        chunk(1, 1, "Three four. ");
        asked();
    }
};

std::string resumed_after(const std::string& last) {
    return R"({"type":"start","session":"s-1","last":)" + last + "}";
}

/// The session at the gateway that resumes it.
struct moved_session : voice_session_driver {
    explicit moved_session(const voice_session_driver& before)
        : voice_session_driver(voice_turn_machine(defaults(), record_of(before), {}, {})) {}

    static session_record record_of(const voice_session_driver& before) {
        auto record = before.turns.record();
        if (before.has_conversation) record.conversation = "saved";
        return std::get<session_record>(parse_record(encode_record(record)));
    }
    void take_up(const std::string& last) { attach(socket_there, resumed_after(last)); }
};

TEST(session_record, has_what_was_sent_and_not_heard) {
    const auto record = speaking_session().turns.record();
    EXPECT_EQ(record.options, R"({"seed":7})");
    EXPECT_TRUE(record.resumes);
    ASSERT_TRUE(record.turn && record.reply);
    EXPECT_EQ(record.turn->id, "t1");
    EXPECT_EQ(record.turn->options, R"({"seed":7})");
    EXPECT_EQ(record.reply->text, "One two. Three four. ");
    EXPECT_EQ(record.reply->chunks, 2U);
    ASSERT_EQ(record.reply->unspoken.size(), 1U);
    EXPECT_EQ(record.reply->unspoken[0].speech, "Three four. ");
    EXPECT_FALSE(record.reply->is_ended);
}

TEST(session_record, has_words_to_come_while_the_last_ones_are_spoken_on) {
    speaking_session here;
    here.drop(socket_here);
    here.end(1, finish_reason::interrupted);
    here.attach(socket_there,
                R"({"type":"start","session":"s-1","last":{"chunk":"1-1","speaking":true}})");
    here.end(2);
    EXPECT_TRUE(here.turns.record().resumes);
    here.say(socket_there, R"({"type":"continue","chunk":"1-1"})");
    EXPECT_FALSE(here.turns.record().resumes);
}

TEST(session_record, continues_after_what_was_heard) {
    moved_session s{speaking_session()};
    s.take_up(R"({"chunk":"1-1","chars":5})");
    EXPECT_THAT(s.asked(),
                ElementsAre("load saved", "heard 1-1 5", "check 2", "resume 2", "next 2"));
    const auto told = s.sent(socket_there);
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(told[0]["resumed"], true);
    EXPECT_EQ(told[0]["turns"], nlohmann::json({"t1", "t1"}));
    EXPECT_EQ(told[1]["type"], "end");
    EXPECT_EQ(told[1]["reply"], "1");
    EXPECT_EQ(told[1]["finish_reason"], "interrupted");
    EXPECT_EQ(told[1]["text"], "One two. Three four. ");
}

TEST(session_record, knows_the_chunks_that_were_sent) {
    const moved_session s{speaking_session()};
    voice::start first{.session = "s-1", .last = voice::last_heard{}};
    first.last->chunk = {1, 1};
    EXPECT_FALSE(s.turns.find_fault(first));
    first.last->chunk = {1, 2};
    EXPECT_EQ(s.turns.find_fault(first)->code, "unknown_chunk");
}

TEST(session_record, ignores_how_long_the_voice_needs_for_words_of_the_other_gateway) {
    constexpr auto speaking = R"({"type":"speaking","chunk":"1-1","ends_in_ms":500})";
    for (const bool has_ended : {true, false}) {
        SCOPED_TRACE(has_ended);
        speaking_session before;
        if (has_ended) before.end(1);
        moved_session s{before};
        s.permits = false;  // no reply with the rest of the text begins
        s.take_up(R"({"chunk":"1-1","speaking":true})");
        s.asked();
        s.say(socket_there, speaking);
        EXPECT_THAT(s.asked(), IsEmpty()) << "this gateway does not have their reply";
    }
}

// The first turn has a raw prompt, so there is no conversation yet.
struct prompted_session : voice_session_driver {
    prompted_session() {
        attach(socket_here, R"({"type":"start","turn":"t1","prompt":"Once"})");
        chunk(1, 0, "One two. ");
        drop(socket_here);
    }
};

TEST(session_record, passes_on_nothing_that_was_heard_of_the_reply_to_a_raw_prompt) {
    for (const auto* const last :
         {R"({"chunk":"1-0","share":0.5})", R"({"chunk":"1-0","speaking":true})"}) {
        SCOPED_TRACE(last);
        moved_session s{prompted_session()};
        s.take_up(last);
        s.say(socket_there, R"({"type":"interrupt","heard":{"chunk":"1-0","chars":3}})");
        EXPECT_THAT(s.asked(), IsEmpty());
        EXPECT_THAT(s.heard_by(socket_there), ElementsAre("ready", "end 1 interrupted"));
    }
}

TEST(session_record, passes_on_nothing_that_was_heard_of_a_raw_prompt_before_an_aside) {
    prompted_session before;
    before.end(1, finish_reason::interrupted);
    before.attach(socket_here, resumed_after(R"({"chunk":"1-0","speaking":true})"));
    before.say(socket_here, R"({"type":"say","text":"One moment.","history":false})");
    moved_session s{before};
    s.asked();
    s.take_up(R"({"chunk":"1-0","share":0.5})");
    EXPECT_THAT(s.asked(), ::testing::Not(::testing::Contains(::testing::StartsWith("heard"))));
}

TEST(session_record, refuses_to_resume_a_raw_prompt) {
    voice_session_driver before;
    before.attach(socket_here, hello);
    before.end(1);
    before.say(socket_here, R"({"type":"start","prompt":"Once"})");
    moved_session s{before};
    s.attach(socket_there, R"({"type":"start","session":"s-1"})");
    s.say(socket_there, R"({"type":"resume"})");
    EXPECT_EQ(s.heard_by(socket_there).back(), "error nothing_to_resume");
}

TEST(session_record, of_a_reply_that_has_ended_resumes_nothing) {
    speaking_session before;
    before.say(socket_here, R"({"type":"continue","chunk":"1-1"})");
    before.end(1);
    moved_session s{before};
    s.attach(socket_there, R"({"type":"start","session":"s-1"})");
    EXPECT_THAT(s.heard_by(socket_there), ElementsAre("ready"));
    EXPECT_THAT(s.asked(), ElementsAre("load saved"));
}

TEST(session_record, of_an_interrupted_reply_has_its_end_alone) {
    speaking_session before;
    before.say(socket_here, R"({"type":"interrupt"})");
    moved_session s{before};
    s.attach(socket_there, R"({"type":"start","session":"s-1"})");
    EXPECT_THAT(s.heard_by(socket_there), ElementsAre("ready", "end 1 interrupted"));
    EXPECT_THAT(s.asked(), ElementsAre("load saved"));
}

TEST(session_record, has_all_that_was_sent_before_the_session_was_released) {
    speaking_session before;
    before.release();
    EXPECT_THAT(before.asked(), ElementsAre("close 1 4001", "interrupt", "next 1", "keep"));
    EXPECT_TRUE(before.turns.is_released());
    moved_session s{before};
    s.take_up(R"({"chunk":"1-1","share":1})");
    EXPECT_THAT(s.asked(),
                ElementsAre("load saved", "heard 1-1 1.000000", "check 2", "resume 2", "next 2"));
}

TEST(session_record, stays_with_a_gateway_to_which_the_client_returns_in_time) {
    speaking_session s;
    s.release();
    s.attach(socket_there, R"({"type":"start","session":"s-1"})");
    EXPECT_FALSE(s.turns.is_released());
}

// The first turn has failed, and the client did not receive the error.
struct unanswered_session : voice_session_driver {
    unanswered_session() {
        attach(socket_here, R"({"type":"start","turn":"t1","text":"Hello"})");
        end(1, finish_reason::error);
        drop(socket_here);
        asked();
    }
};

constexpr auto repeated = R"({"type":"start","turn":"t1","text":"Hello"})";

TEST(session_record, has_a_question_that_is_repeated_once) {
    moved_session s{unanswered_session()};
    s.attach(socket_there, R"({"type":"start","session":"s-1"})");
    EXPECT_THAT(s.sent(socket_there).at(0)["turns"], IsEmpty());
    s.say(socket_there, repeated);
    EXPECT_THAT(s.asked(), ElementsAre("load saved", "check 2", "generate 2", "next 2"));
    s.chunk(2, 0, "Hi. ");
    s.end(2);
    s.say(socket_there, repeated);
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "append Hello", "generate 3", "next 3"))
        << "it was answered, so the user asks again";
}

TEST(session_record, is_not_needed_to_recognize_a_repeated_question) {
    unanswered_session s;
    s.attach(socket_there, R"({"type":"start","session":"s-1"})");
    s.say(socket_there, repeated);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "generate 2", "next 2"));
}

TEST(session_record, has_a_repeated_question_once_after_words_of_the_client) {
    for (const auto* const other :
         {R"({"type":"say","text":"Sorry?","history":false})",
          R"({"type":"start","messages":[{"role":"system","content":"It is noon."}]})"}) {
        unanswered_session s;
        s.attach(socket_there, R"({"type":"start","session":"s-1"})");
        s.say(socket_there, other);
        s.say(socket_there, repeated);
        EXPECT_THAT(s.asked(), ::testing::Not(::testing::Contains("append Hello"))) << other;
    }
}

TEST(session_record, takes_equal_results_of_two_calls_for_different_ones) {
    unanswered_session s;
    s.attach(socket_there, R"({"type":"start","session":"s-1"})");
    std::uint64_t reply = 2;
    for (const auto* const message : {R"({"role":"tool","content":"ok","tool_call_id":"a"})",
                                      R"({"role":"tool","content":"ok","tool_call_id":"b"})"}) {
        s.say(socket_there,
              fmt::format(R"({{"type":"start","turn":"t2","messages":[{}]}})", message));
        EXPECT_THAT(s.asked(), ::testing::Contains("append ok")) << message;
        s.end(reply++, finish_reason::error);
    }
}

TEST(session_record, takes_other_words_or_another_turn_for_a_question_of_its_own) {
    for (const auto* const other :
         {R"({"type":"start","turn":"t1","text":"Hello?"})",
          R"({"type":"start","turn":"t2","text":"Hello"})", R"({"type":"start","text":"Hello"})"}) {
        unanswered_session s;
        s.attach(socket_there, R"({"type":"start","session":"s-1"})");
        s.say(socket_there, other);
        EXPECT_THAT(s.asked(), ::testing::Contains(::testing::StartsWith("append Hello"))) << other;
    }
}

TEST(session_record, lets_the_next_turn_follow) {
    moved_session s{speaking_session()};
    s.attach(socket_there, R"({"type":"start","session":"s-1","text":"And now?"})");
    EXPECT_THAT(s.asked(),
                ElementsAre("load saved", "check 2", "append And now?", "generate 2", "next 2"));
}

TEST(session_record, has_the_calls_whose_results_come_later) {
    waiting_for_results before;
    before.say(phone, comes_later("a"));
    before.say(phone, result("b", "four seats"));
    before.end(2);
    moved_session s{before};
    s.attach(next_phone, resumed_session);
    s.say(next_phone, result("a", "noon"));
    EXPECT_THAT(s.asked(), ElementsAre("load saved", "check 3", "answer a noon"));
    s.say(next_phone, kept_result("b", "four seats"));
    EXPECT_THAT(s.heard_by(next_phone), ElementsAre("ready", "error unknown_call"))
        << "history has this result";
}

TEST(session_record, drops_the_open_calls) {
    waiting_for_results before;
    before.say(phone, comes_later("a"));
    moved_session s{before};
    s.attach(next_phone, resumed_session);
    EXPECT_THAT(s.heard_by(next_phone), ElementsAre("ready", "dropped b interrupted"));
    s.end(2);
    s.say(next_phone, result("b", "four seats"));
    EXPECT_THAT(s.heard_by(next_phone), ElementsAre("end 2", "error unknown_call"));
    s.asked();
    s.say(next_phone, kept_result("b", "four seats"));
    s.say(next_phone, result("a", "noon"));
    EXPECT_THAT(s.asked(),
                ElementsAre("check 3", "answer b four seats", "check 4", "answer a noon"));
}

TEST(session_record, lets_the_client_repeat_results_that_history_does_not_have) {
    waiting_for_results before;
    before.say(phone, comes_later("a"));
    before.say(phone, comes_later("b"));
    before.say(phone, result("a", "noon"));  // waits for the end of the reply
    moved_session s{before};
    s.attach(next_phone, resumed_session);
    s.sent(next_phone);
    s.say(next_phone, result("a", "noon"));
    EXPECT_THAT(s.heard_by(next_phone), IsEmpty());
}

TEST(session_record, can_move_when_a_chunk_has_just_begun_or_nothing_runs) {
    speaking_session s;
    s.turns.begin_move(s.now);
    EXPECT_TRUE(s.turns.can_move(s.now));
    EXPECT_FALSE(s.turns.can_move(s.now + 1s)) << "the voice may reach the end during the move";
    s.say(socket_here, R"({"type":"continue","chunk":"1-1"})");
    EXPECT_FALSE(s.turns.can_move(s.now)) << "the listener waits for the next chunk";
    s.end(1);
    EXPECT_TRUE(s.turns.can_move(s.now));
}

TEST(session_record, can_move_within_a_long_chunk_after_five_seconds) {
    speaking_session s;
    s.turns.begin_move(s.now);
    s.now += 5s;
    EXPECT_EQ(s.turns.next_check(), s.now);
    s.turns.check(s.now);
    EXPECT_TRUE(s.turns.can_move(s.now));
    EXPECT_NE(s.turns.next_check(), s.now);
}

TEST(session_record, does_not_move_from_a_session_that_ends_here) {
    speaking_session s;
    s.turns.begin_move(s.now);
    s.turns.drain(s.now);
    EXPECT_FALSE(s.turns.is_moving());
}

TEST(session_record, can_move_although_a_turn_waits_for_the_next_socket) {
    speaking_session s;
    s.say(socket_here, R"({"type":"say","text":"Bye."})");
    s.turns.begin_move(s.now);
    EXPECT_FALSE(s.turns.can_move(s.now)) << "it begins soon";
    s.drop(socket_here);
    s.end(1, finish_reason::interrupted);
    EXPECT_TRUE(s.turns.can_move(s.now));
}

TEST(session_record, has_no_open_calls_of_a_session_that_can_wait_no_longer) {
    waiting_for_results before;
    before.release(voice_close::moved);
    EXPECT_THAT(before.asked(), ElementsAre("close 7 4012", "keep"));
    moved_session s{before};
    s.attach(next_phone, resumed_session);
    EXPECT_THAT(s.heard_by(next_phone),
                ElementsAre("ready", "dropped a interrupted", "dropped b interrupted"));
}

TEST(session_record, leaves_the_gateway_when_the_reply_that_a_move_interrupts_has_ended) {
    speaking_session s;
    s.turns.begin_move(s.now);
    s.move();
    EXPECT_THAT(s.asked(), ElementsAre("close 1 4012", "interrupt", "next 1"));
    EXPECT_FALSE(s.turns.is_moving());
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("leave"));
    EXPECT_TRUE(s.turns.is_over());
}

TEST(session_record, leaves_the_gateway_at_once_if_nothing_runs) {
    speaking_session s;
    s.end(1);
    s.move();
    EXPECT_THAT(s.asked(), ElementsAre("close 1 4012", "leave"));
}

}  // namespace
}  // namespace tandem::gateway
