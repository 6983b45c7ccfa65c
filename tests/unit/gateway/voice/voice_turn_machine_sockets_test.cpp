#include "voice_session_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// A session with sockets that come and go.
namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr voice_socket first = 1;
constexpr voice_socket second = 2;

const std::string take_up = R"({"type":"start","session":"s-1"})";

// The voice speaks the first sentence.
struct speaking_to_first : voice_session_driver {
    speaking_to_first() {
        attach(first, hello);
        chunk(1, 0, "One. ");
        sent(first);
        asked();
    }
};

// The socket is lost, and the reply has ended because of the loss.
struct dropped : speaking_to_first {
    dropped() {
        drop(first);
        end(1, finish_reason::interrupted, "One. ");
        asked();
    }
};

// The client loses its socket, the reply ends, and the client resumes the session.
void drop_and_take_up(voice_session_driver& s, finish_reason end_of_reply) {
    s.drop(first);
    s.end(1, end_of_reply);
    s.asked();
    s.attach(second, take_up);
}

TEST(voice_socket, that_is_gone_interrupts_the_reply_and_leaves_the_session) {
    speaking_to_first s;
    s.drop(first);
    EXPECT_THAT(s.asked(), ElementsAre("interrupt", "next 1", "keep"));
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), IsEmpty());
    EXPECT_FALSE(s.turns.has_socket());
    EXPECT_FALSE(s.turns.is_over());
}

TEST(voice_socket, that_takes_up_a_session_hears_the_end_and_then_the_unheard_chunk) {
    dropped s;
    s.attach(second, take_up);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "resume 2", "next 2"));
    s.chunk(2, 0, "One. ");
    const auto sent = s.sent(second);
    ASSERT_EQ(sent.size(), 3u);
    EXPECT_EQ(sent[0]["type"], "ready");
    EXPECT_EQ(sent[0]["session"], "s-1");
    EXPECT_EQ(sent[0]["resumed"], true);
    EXPECT_EQ(sent[1]["reply"], "1");
    EXPECT_EQ(sent[1]["finish_reason"], "interrupted");
    EXPECT_EQ(sent[1]["text"], "One. ");
    EXPECT_EQ(sent[2]["id"], "2-0");
    EXPECT_THAT(s.sent(first), IsEmpty());
}

TEST(voice_socket, that_comes_before_the_end_hears_it_too) {
    speaking_to_first s;
    s.drop(first);
    s.asked();
    s.attach(second, take_up);
    EXPECT_THAT(s.asked(), IsEmpty());
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "resume 2", "next 2"));
    EXPECT_THAT(s.heard_by(second), ElementsAre("ready", "end 1 interrupted"));
}

TEST(voice_socket, that_comes_with_new_words_has_them_answered_in_place_of_the_rest) {
    dropped s;
    s.attach(second, R"({"type":"start","session":"s-1","text":"Never mind"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "append Never mind", "generate 2", "next 2"));
    s.end(2);
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(voice_socket, does_not_resume_a_reply_if_a_turn_of_the_user_was_waiting) {
    speaking_to_first s;
    s.permits = false;
    s.say(first, R"({"type":"start","turn":"u","text":"Never mind"})");
    drop_and_take_up(s, finish_reason::interrupted);
    EXPECT_THAT(s.sent(second)[0]["turns"], ElementsAre("u"));
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(voice_socket, resumes_nothing_that_the_client_interrupted_itself) {
    speaking_to_first s;
    s.say(first, R"({"type":"interrupt"})");
    drop_and_take_up(s, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), IsEmpty());
    s.say(second, R"({"type":"resume"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "resume 2", "next 2"));
}

TEST(voice_socket, resumes_nothing_that_had_been_heard_when_it_ended) {
    speaking_to_first s;
    s.say(first, R"({"type":"continue","chunk":"1-0"})");
    drop_and_take_up(s, finish_reason::eos);
    EXPECT_THAT(s.asked(), IsEmpty());
    EXPECT_THAT(s.heard_by(second), ElementsAre("ready", "end 1"));
}

TEST(voice_socket, resumes_a_reply_that_ended_with_a_chunk_unheard) {
    speaking_to_first s;
    drop_and_take_up(s, finish_reason::eos);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "resume 2", "next 2"));
}

TEST(voice_socket, resumes_no_raw_prompt) {
    voice_session_driver s;
    s.attach(first, R"({"type":"start","prompt":"Once"})");
    drop_and_take_up(s, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), IsEmpty());
    EXPECT_THAT(s.heard_by(second), ElementsAre("ready", "end 1 interrupted"));
}

TEST(voice_socket, resumes_once) {
    dropped s;
    s.attach(second, take_up);
    s.end(2);
    s.drop(second);
    s.asked();
    s.attach(3, take_up);
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(voice_socket, resumes_again_what_was_resumed_and_dropped) {
    dropped s;
    s.attach(second, take_up);
    s.chunk(2, 0, "One. ");
    s.drop(second);
    s.end(2, finish_reason::interrupted);
    s.asked();
    s.attach(3, take_up);
    EXPECT_THAT(s.asked(), ElementsAre("check 3", "resume 3", "next 3"));
}

TEST(voice_socket, that_is_gone_stops_no_turn_that_waits_for_its_permission) {
    voice_session_driver s;
    s.permits = false;
    s.attach(first, hello);
    s.drop(first);
    s.asked();
    s.permit(1);
    EXPECT_THAT(s.asked(), IsEmpty()) << "nobody listens";
    s.attach(second, take_up);
    EXPECT_THAT(s.asked(), ElementsAre("check 1 again"));
    s.permit(1);
    EXPECT_THAT(s.asked(), ElementsAre("open with 1", "generate 1", "next 1"));
}

TEST(voice_socket, hears_of_a_turn_that_was_refused_meanwhile) {
    voice_session_driver s;
    s.permits = false;
    s.attach(first, hello);
    s.drop(first);
    s.refuse(1);
    s.attach(second, take_up);
    EXPECT_THAT(s.heard_by(second), ElementsAre("ready", "error policy 1"));
}

TEST(voice_socket, hears_of_messages_that_were_refused_meanwhile) {
    voice_session_driver s;
    s.permits = false;
    s.attach(first, R"({"type":"start","messages":[{"role":"system","content":"Noon."}]})");
    s.drop(first);
    s.refuse(1);
    s.attach(second, take_up);
    EXPECT_THAT(s.heard_by(second), ElementsAre("ready", "error policy"));
}

TEST(voice_socket, is_closed_by_another_one_that_takes_the_session_over) {
    speaking_to_first s;
    s.attach(second, take_up);
    EXPECT_THAT(s.asked(), ElementsAre("close 1 4001", "interrupt", "next 1"));
    s.say(first, R"({"type":"continue","chunk":"1-0"})");
    s.drop(first);
    EXPECT_THAT(s.asked(), IsEmpty()) << "it is not the session's any more";
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "resume 2", "next 2"));
    EXPECT_THAT(s.heard_by(first), IsEmpty());
    EXPECT_THAT(s.heard_by(second), ElementsAre("ready", "end 1 interrupted"));
}

// A second socket has taken the session over. The interrupted reply has not ended yet.
struct taken_over : speaking_to_first {
    taken_over() {
        attach(second, take_up);
        asked();
    }
};

TEST(voice_socket, that_interrupts_what_it_took_over_has_nothing_resumed) {
    taken_over s;
    s.say(second, R"({"type":"interrupt"})");
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(voice_socket, that_asks_for_the_rest_itself_gets_it_once) {
    taken_over s;
    s.permits = false;
    s.say(second, R"({"type":"resume"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2"));
    s.end(1, finish_reason::interrupted);
    s.refuse(2);
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(voice_socket, has_nothing_resumed_when_the_session_ends) {
    taken_over s;
    s.say(second, R"({"type":"end"})");
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("close 2 1000", "forget"));
}

TEST(voice_socket, has_nothing_resumed_when_the_gateway_stops) {
    taken_over s;
    s.drain();
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("close 2 1012", "forget"));
}

TEST(voice_socket, that_is_gone_after_its_end_leaves_nothing) {
    speaking_to_first s;
    s.say(first, R"({"type":"end"})");
    s.drop(first);
    s.asked();
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("forget"));
    s.attach(second, take_up);
    EXPECT_THAT(s.heard_by(second), IsEmpty());
}

TEST(voice_socket, finds_no_session_that_was_kept_when_the_gateway_stopped) {
    dropped s;
    s.drain();
    EXPECT_THAT(s.asked(), ElementsAre("forget"));
    EXPECT_TRUE(s.turns.is_over());
}

TEST(voice_socket, has_the_time_line_of_what_is_resumed_if_it_or_the_turn_asked_for_one) {
    struct row {
        std::string asks, takes_up;
        bool has_timeline;
    };
    for (const auto& r : {row{"", "", false}, row{R"(,"timeline":true)", "", true},
                          row{"", R"(,"timeline":true)", true}}) {
        SCOPED_TRACE(r.asks + r.takes_up);
        voice_session_driver s;
        s.attach(first, R"({"type":"start","text":"Hello")" + r.asks + "}");
        s.chunk(1, 0, "One. ");
        s.drop(first);
        s.end(1, finish_reason::interrupted, "One. ");
        s.attach(second, R"({"type":"start","session":"s-1")" + r.takes_up + "}");
        s.end(2);
        EXPECT_EQ(s.sent(second).back().contains("timeline"), r.has_timeline);
    }
}

TEST(voice_socket, that_takes_up_a_session_is_told_of_each_end_that_will_come) {
    voice_session_driver s;
    s.attach(first, R"({"type":"start","turn":"a","text":"Hello"})");
    s.chunk(1, 0, "One. ");
    s.say(first, R"({"type":"say","turn":"b","text":"Good evening."})");
    s.drop(first);
    s.attach(second, take_up);
    EXPECT_EQ(s.sent(second).at(0)["turns"], nlohmann::json({"a", "a", "b"})) << "while it ends";
    s.drop(second);
    s.end(1, finish_reason::interrupted);
    s.attach(3, take_up);
    EXPECT_EQ(s.sent(3).at(0)["turns"], nlohmann::json({"a", "a", "b"})) << "after its end";
    s.end(3, finish_reason::eos);
    s.drop(3);
    s.attach(4, take_up);
    EXPECT_EQ(s.sent(4).at(0)["turns"], nlohmann::json::array({"b", "b"}));
}

TEST(voice_socket, that_was_promised_the_rest_gets_it_even_if_there_is_none) {
    speaking_to_first s;
    s.say(first, R"({"type":"continue","chunk":"1-0"})");
    s.drop(first);
    s.attach(second, take_up);
    s.asked();
    s.end(1);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "resume 2", "next 2"));
}

TEST(voice_socket, may_not_change_the_model_of_a_session) {
    dropped s;
    s.attach(second, R"({"type":"start","session":"s-1","model":"other","text":"Hi"})");
    EXPECT_THAT(s.heard_by(second),
                ElementsAre("ready", "end 1 interrupted", "error invalid_value"));
}

}  // namespace
}  // namespace tandem::gateway
