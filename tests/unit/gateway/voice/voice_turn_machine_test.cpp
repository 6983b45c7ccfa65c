#include "voice_session_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// One session with one socket: turns, replies and interrupts. voice_turn_machine_sockets_test.cpp
// tests sockets that come and go.
namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr voice_socket socket = 7;

const std::string stop_talking = R"({"type":"interrupt"})";

std::string spoken(const std::string& chunk) {
    return R"({"type":"continue","chunk":")" + chunk + "\"}";
}
std::string heard(const std::string& chunk, int chars) {
    return R"({"type":"heard","chunk":")" + chunk + R"(","chars":)" + std::to_string(chars) + "}";
}

// A session after the user's hello, while the voice speaks the first sentence.
struct speaking : voice_session_driver {
    explicit speaking(voice_setup setup = defaults()) : voice_session_driver(std::move(setup)) {
        attach(socket, hello);
        chunk(1, 0, "One. ");
        sent(socket);
        asked();
    }
};

TEST(voice_session, begins_with_ready_and_the_reply_to_what_the_user_said) {
    voice_session_driver s;
    s.attach(socket, hello);
    EXPECT_THAT(s.heard_by(socket), ElementsAre("ready"));
    EXPECT_THAT(s.asked(), ElementsAre("check 1", "open with 1", "generate 1", "next 1"));
}

TEST(voice_session, begins_without_a_reply_if_nobody_has_spoken) {
    voice_session_driver s;
    s.attach(socket, R"({"type":"start","messages":[{"role":"system","content":"Be brief."}]})");
    EXPECT_THAT(s.asked(), ElementsAre("check 1", "open with 1", "warm"));
    s.say(socket, hello);
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "append Hello", "generate 2", "next 2"));
}

TEST(voice_session, prefills_what_it_hears_while_nothing_is_spoken) {
    voice_session_driver s;
    s.attach(socket, R"({"type":"start"})");
    s.say(socket, R"({"type":"hearing","text":"A table"})");
    EXPECT_THAT(s.asked(), IsEmpty()) << "the first turn decides what the conversation begins with";
    s.say(socket, R"({"type":"start","messages":[{"role":"system","content":"Be brief."}]})");
    s.asked();
    s.say(socket, R"({"type":"hearing","text":"A table","stable":2})");
    EXPECT_THAT(s.asked(), ElementsAre("hear A table 2"));
    s.say(socket, hello);
    s.asked();
    s.say(socket, R"({"type":"hearing","text":"No, a table"})");
    EXPECT_THAT(s.asked(), IsEmpty()) << "a reply runs";
}

TEST(voice_session, answers_a_history_that_ends_with_the_user) {
    voice_session_driver s;
    s.attach(socket, R"({"type":"start","messages":[{"role":"system","content":"Be brief."},
                         {"role":"user","content":"Hello"}]})");
    EXPECT_THAT(s.asked(), ElementsAre("check 1", "open with 2", "generate 1", "next 1"));
}

TEST(voice_session, answers_the_result_of_a_tool) {
    speaking s;
    s.end(1);
    s.asked();
    s.say(socket, R"({"type":"start","messages":[
        {"role":"assistant","tool_calls":[{"id":"c1","name":"clock","arguments":"{}"}]},
        {"role":"tool","tool_call_id":"c1","content":"noon"}]})");
    EXPECT_THAT(s.asked(),
                ElementsAre("check 2", "append ", "append noon", "generate 2", "next 2"));
}

TEST(voice_session, asks_for_the_next_chunk_when_the_last_one_was_spoken) {
    speaking s;
    s.say(socket, spoken("1-0"));
    EXPECT_THAT(s.asked(), ElementsAre("continue 1-0", "next 1"));
    s.chunk(1, 1, "Two.", boundary::end);
    EXPECT_THAT(s.heard_by(socket), ElementsAre("chunk 1-1"));
    s.say(socket, spoken("1-1"));
    s.end(1);
    EXPECT_THAT(s.heard_by(socket), ElementsAre("end 1"));
}

TEST(voice_session, minds_no_continue_that_is_stale_repeated_or_foreign) {
    speaking s;
    s.say(socket, spoken("1-0"));
    s.chunk(1, 1, "Two. ");
    s.asked();
    for (const auto* id : {"1-0", "1-2", "2-1", "0-1", "18446744073709551615-4294967295"})
        s.say(socket, spoken(id));
    EXPECT_THAT(s.asked(), IsEmpty());
    s.say(socket, spoken("1-1"));
    s.asked();
    s.say(socket, spoken("1-1"));
    EXPECT_THAT(s.asked(), IsEmpty()) << "repeated";
}

TEST(voice_session, passes_on_what_was_heard_of_the_chunks_that_it_sent) {
    speaking s;
    s.say(socket, heard("1-0", 3));
    s.say(socket, R"({"type":"heard","chunk":"1-0","share":0.5})");
    EXPECT_THAT(s.asked(), ElementsAre("heard 1-0 3", "heard 1-0 0.500000"));
    for (const auto* id : {"1-1", "2-0", "0-0"}) s.say(socket, heard(id, 3));
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(voice_session, reports_the_end_of_a_reply_that_is_interrupted) {
    speaking s;
    s.say(socket, R"({"type":"interrupt","heard":{"chunk":"1-0","chars":2}})");
    EXPECT_THAT(s.asked(), ElementsAre("heard 1-0 2", "interrupt", "next 1"));
    s.say(socket, stop_talking);
    EXPECT_THAT(s.asked(), IsEmpty()) << "once";
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.heard_by(socket), ElementsAre("end 1 interrupted"));
}

TEST(voice_session, takes_no_continue_of_a_voice_that_was_silenced) {
    speaking s;
    s.say(socket, stop_talking);
    s.asked();
    s.say(socket, spoken("1-0"));
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(voice_session, keeps_back_a_chunk_that_comes_too_late) {
    voice_session_driver s;
    s.attach(socket, hello);
    s.say(socket, stop_talking);
    s.asked();
    s.heard_by(socket);
    s.chunk(1, 0, "Too late.");
    EXPECT_THAT(s.asked(), ElementsAre("next 1"));
    s.end(1, finish_reason::interrupted, "Too late.");
    const auto sent = s.sent(socket);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0]["text"], "") << "what was sent, and no more";
}

TEST(voice_session, lets_the_user_talk_over_a_reply_by_what_is_said_next) {
    speaking s;
    s.say(socket, R"({"type":"start","text":"Wait"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2", "interrupt", "next 1"));
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.heard_by(socket), ElementsAre("end 1 interrupted"));
    EXPECT_THAT(s.asked(), ElementsAre("append Wait", "generate 2", "next 2"));
}

TEST(voice_session, answers_the_last_of_what_the_user_says_while_a_reply_ends) {
    speaking s;
    s.say(socket, R"({"type":"start","text":"Wait"})");
    s.say(socket, R"({"type":"start","text":"No, go on"})");
    s.asked();
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.heard_by(socket), ElementsAre("end 1 interrupted", "end 2 interrupted"));
    EXPECT_THAT(s.asked(), ElementsAre("append Wait", "append No, go on", "generate 3", "next 3"));
}

TEST(voice_session, interrupts_nothing_for_messages_that_want_no_answer) {
    speaking s;
    s.say(socket, R"({"type":"start","messages":[{"role":"system","content":"It is noon."}]})");
    EXPECT_THAT(s.asked(), ElementsAre("check 2"));
    s.end(1);
    EXPECT_THAT(s.asked(), ElementsAre("append It is noon."));
}

TEST(voice_session, resumes_what_was_interrupted) {
    speaking s;
    s.say(socket, stop_talking);
    s.say(socket, R"({"type":"resume"})");
    s.asked();
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("resume 2", "next 2"));
    s.chunk(2, 0, "One. ");
    EXPECT_THAT(s.heard_by(socket), ElementsAre("end 1 interrupted", "chunk 2-0"));
}

TEST(voice_session, refuses_to_resume_what_was_not_interrupted) {
    speaking s;
    s.say(socket, R"({"type":"resume"})");
    EXPECT_THAT(s.heard_by(socket), ElementsAre("error reply_running"));
    voice_session_driver fresh;
    fresh.attach(socket);
    fresh.say(socket, R"({"type":"resume"})");
    EXPECT_THAT(fresh.heard_by(socket), ElementsAre("ready", "error nothing_to_resume"));
}

TEST(voice_session, reports_why_a_reply_failed_once) {
    speaking s;
    s.say(socket, spoken("1-0"));
    s.end(1, finish_reason::error, "One. ");
    const auto sent = s.sent(socket);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0]["type"], "error");
    EXPECT_EQ(sent[0]["reply"], "1");
    EXPECT_EQ(sent[0]["code"], "no_model");
    EXPECT_EQ(sent[0]["retryable"], true);
    EXPECT_EQ(sent[0]["text"], "One. ");
}

TEST(voice_session, asks_for_the_end_of_a_reply_whose_last_chunk_is_never_continued) {
    speaking s;
    EXPECT_EQ(s.turns.next_check(), s.now + 30s);
    s.wait(29s);
    EXPECT_THAT(s.asked(), IsEmpty());
    s.wait(1s);
    EXPECT_THAT(s.asked(), ElementsAre("next 1"));
    EXPECT_EQ(s.turns.next_check(), std::nullopt);
    s.end(1);
    s.say(socket, spoken("1-0"));
    EXPECT_THAT(s.asked(), ElementsAre("continue 1-0")) << "it still counts as heard";
}

TEST(voice_session, lets_the_last_words_be_interrupted_after_the_end) {
    speaking s;
    s.wait(30s);
    s.end(1);
    s.asked();
    s.say(socket, stop_talking);
    EXPECT_THAT(s.asked(), ElementsAre("interrupt"));
    s.say(socket, stop_talking);
    EXPECT_THAT(s.asked(), IsEmpty());
}

TEST(voice_session, speaks_raw_prompts_without_a_conversation) {
    voice_session_driver s;
    s.attach(socket, R"({"type":"start","prompt":"Once upon a time"})");
    EXPECT_THAT(s.asked(), ElementsAre("check 1", "generate raw 1", "next 1"));
    EXPECT_EQ(s.generated[0]->prompt, "Once upon a time");
    s.chunk(1, 0, "there was");
    s.say(socket, heard("1-0", 5));
    s.say(socket, stop_talking);
    EXPECT_THAT(s.asked(), ElementsAre("interrupt outside", "next 1"));
}

TEST(voice_session, does_not_resume_an_earlier_turn_after_a_raw_prompt) {
    voice_session_driver s;
    s.attach(socket, R"({"type":"start","text":"Hello"})");
    s.end(1, finish_reason::interrupted);
    s.say(socket, R"({"type":"start","prompt":"Once upon a time"})");
    s.end(2, finish_reason::interrupted);
    s.sent(socket);
    s.say(socket, R"({"type":"resume"})");
    const auto sent = s.sent(socket);
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_EQ(sent[0]["code"], "nothing_to_resume");
    EXPECT_THAT(std::string(sent[0]["message"]), HasSubstr("raw prompt"));
}

TEST(voice_session, can_be_resumed_at_least_as_long_as_it_is_kept) {
    voice_session_driver s;
    s.attach(socket, R"({"type":"start","text":"Hello","conversation":
        {"resume_grace_ms":100,"interrupted":"handed_over"}})");
    ASSERT_EQ(s.opened.size(), 1u);
    EXPECT_EQ(s.opened[0].resume_grace, 65s);
    EXPECT_EQ(s.opened[0].interrupted, history_policy::handed_over);
    EXPECT_EQ(s.sent(socket)[0]["limits"]["resume_grace_ms"], 65000);
}

TEST(voice_session, refuses_starts_that_do_not_fit_it) {
    const struct {
        const char *start, *param;
    } rows[] = {
        {R"({"type":"start","text":"Hi","session":"s-2"})", "session"},
        {R"({"type":"start","text":"Hi","model":"other"})", "model"},
        {R"({"type":"start","text":"Hi","conversation":{"isolate":true}})", "conversation"},
        {R"({"type":"start"})", "text"},
    };
    speaking s;
    for (const auto& row : rows) {
        s.say(socket, row.start);
        const auto sent = s.sent(socket);
        ASSERT_EQ(sent.size(), 1u) << row.start;
        EXPECT_EQ(sent[0]["code"], "invalid_value") << row.start;
        EXPECT_EQ(sent[0]["param"], row.param);
        EXPECT_FALSE(sent[0].contains("reply"));
    }
    EXPECT_THAT(s.asked(), IsEmpty()) << "the reply goes on";
    s.say(socket, R"({"type":"start","text":"Hi","session":"s-1","model":"default"})");
    EXPECT_THAT(s.heard_by(socket), IsEmpty());
}

TEST(voice_session, takes_so_many_turns_that_wait_and_no_more) {
    auto setup = voice_session_driver::defaults();
    setup.limits.waiting_turns = 2;
    speaking s(setup);
    for (int i = 0; i < 3; ++i) s.say(socket, hello);
    EXPECT_THAT(s.heard_by(socket), ElementsAre("error too_many_turns"));
}

TEST(voice_session, reports_how_long_the_user_waited_for_the_first_chunk) {
    voice_session_driver s;
    s.attach(socket, R"({"type":"start","text":"Hi","user_stopped_ms_ago":700,"vad_stop_ms":500})");
    s.wait(300ms);
    s.chunk(1, 0, "One. ");
    s.say(socket, spoken("1-0"));
    s.wait(1s);
    s.chunk(1, 1, "Two. ");
    s.say(socket, stop_talking);
    s.end(1, finish_reason::interrupted);
    const auto told = s.sent(socket).back()["metrics"]["voice_to_voice_ms"];
    EXPECT_EQ(told["total"], 1000);
    EXPECT_EQ(told["detector"], 500);
    EXPECT_EQ(told["before_start"], 200);
    ASSERT_EQ(s.first_chunks.size(), 1u);
    EXPECT_EQ(s.first_chunks[0].since_asked, 300ms);
    ASSERT_TRUE(s.first_chunks[0].timing);
    EXPECT_EQ(s.first_chunks[0].timing->total(), 1000ms);
}

TEST(voice_session, counts_the_end_of_the_reply_before_as_a_wait) {
    speaking s;
    s.say(socket, R"({"type":"start","text":"No, wait","user_stopped_ms_ago":100})");
    s.wait(40ms);
    s.end(1, finish_reason::interrupted);
    s.chunk(2, 0, "One. ");
    s.end(2, finish_reason::eos);
    EXPECT_EQ(s.sent(socket).back()["metrics"]["voice_to_voice_ms"]["turn_wait"], 40);
}

TEST(voice_session, reports_no_silence_if_the_client_does_not) {
    speaking s;
    s.end(1, finish_reason::eos);
    EXPECT_FALSE(s.sent(socket).back()["metrics"].contains("voice_to_voice_ms"));
    ASSERT_EQ(s.first_chunks.size(), 1u);
    EXPECT_FALSE(s.first_chunks[0].timing);
}

TEST(voice_session, ends_when_the_client_says_so) {
    speaking s;
    s.say(socket, R"({"type":"end"})");
    EXPECT_THAT(s.asked(), ElementsAre("interrupt", "next 1"));
    s.say(socket, hello);
    EXPECT_THAT(s.asked(), IsEmpty()) << "nothing follows an end";
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.heard_by(socket), ElementsAre("end 1 interrupted"));
    EXPECT_THAT(s.asked(), ElementsAre("close 7 1000", "forget"));
    EXPECT_TRUE(s.turns.is_over());
    EXPECT_FALSE(s.turns.has_socket());
}

TEST(voice_session, ends_turns_that_wait_with_the_session) {
    speaking s;
    s.say(socket, hello);
    s.say(socket, R"({"type":"end"})");
    EXPECT_THAT(s.heard_by(socket), ElementsAre("end 2 interrupted"));
    s.asked();
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.heard_by(socket), ElementsAre("end 1 interrupted"));
    EXPECT_THAT(s.asked(), ElementsAre("close 7 1000", "forget"));
}

TEST(voice_session, is_over_at_once_if_it_breaks) {
    speaking s;
    s.say(socket, hello);
    s.asked();
    s.turns.on_exception();
    s.say(socket, hello);
    EXPECT_THAT(s.asked(), ElementsAre("close 7 1011", "forget"));
    EXPECT_TRUE(s.turns.is_over());
    EXPECT_THAT(s.heard_by(socket), IsEmpty());
}

TEST(voice_session, lets_its_reply_end_when_the_gateway_stops) {
    speaking s;
    s.drain();
    EXPECT_THAT(s.asked(), IsEmpty());
    s.say(socket, hello);
    s.say(socket, spoken("1-0"));
    EXPECT_THAT(s.heard_by(socket), ElementsAre("error gateway_stopping"));
    s.asked();
    s.end(1);
    EXPECT_THAT(s.heard_by(socket), ElementsAre("end 1"));
    EXPECT_THAT(s.asked(), ElementsAre("close 7 1012", "forget"));
}

TEST(voice_session, is_closed_at_once_when_the_gateway_stops_and_nobody_speaks) {
    voice_session_driver s;
    s.attach(socket);
    s.drain();
    EXPECT_THAT(s.asked(), ElementsAre("close 7 1012", "forget"));
    s.drain();
    s.stop();
    s.permit(1);
    EXPECT_THAT(s.asked(), IsEmpty()) << "it is over";
}

TEST(voice_session, interrupts_its_reply_when_the_gateway_cannot_wait) {
    speaking s;
    s.drain();
    s.stop();
    EXPECT_THAT(s.asked(), ElementsAre("interrupt", "next 1"));
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.asked(), ElementsAre("close 7 1012", "forget"));
}

TEST(voice_session, ends_waiting_turns_with_the_reason_when_the_gateway_stops) {
    voice_session_driver s;
    s.permits = false;
    s.attach(socket, hello);
    s.drain();
    EXPECT_THAT(s.heard_by(socket), ElementsAre("ready", "error gateway_stopping 1"));
}

TEST(voice_session, gives_a_time_line_to_whoever_asks_for_it) {
    voice_session_driver s;
    s.attach(socket, R"({"type":"start","text":"Hi","timeline":true})");
    s.end(1);
    EXPECT_TRUE(s.sent(socket).back().contains("timeline"));
    s.say(socket, hello);
    s.end(2);
    EXPECT_FALSE(s.sent(socket).back().contains("timeline"));
}

TEST(voice_session, gives_a_time_line_to_what_is_resumed_if_the_turn_had_one) {
    voice_session_driver s;
    s.attach(socket, R"({"type":"start","text":"Hi","timeline":true})");
    s.chunk(1, 0, "One. ");
    s.say(socket, stop_talking);
    s.end(1, finish_reason::interrupted);
    s.say(socket, R"({"type":"resume"})");
    s.end(2);
    EXPECT_TRUE(s.sent(socket).back().contains("timeline"));
}

TEST(encode_no_session_error, is_what_a_socket_is_told_that_did_not_start) {
    const auto told = nlohmann::json::parse(encode_no_session_error({.turn = "t-1"}));
    EXPECT_EQ(told["code"], "no_session");
    EXPECT_EQ(told["turn"], "t-1");
}

}  // namespace
}  // namespace tandem::gateway
