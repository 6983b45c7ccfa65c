#include "voice_session_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

// Turn ids that the client chooses connect requests with their results.
namespace tandem::gateway {
namespace {

using ::testing::ElementsAre;

constexpr voice_socket line = 7;
constexpr voice_socket next_line = 8;

std::string start(const std::string& turn, const std::string& more = R"("text":"Hello")") {
    return R"({"type":"start","turn":")" + turn + "\"," + more + "}";
}

struct named_turns : voice_session_driver {
    using voice_session_driver::voice_session_driver;

    /// The type and turn id of each sent message, such as "chunk a", or "end" without a turn id.
    std::vector<std::string> turns_told_to(voice_socket s) {
        std::vector<std::string> told;
        for (const auto& m : sent(s)) {
            if (m["type"] == "ready") continue;
            const auto turn = m.value("turn", "");
            told.push_back(m["type"].get<std::string>() + (turn.empty() ? "" : " " + turn));
        }
        return told;
    }
};

// The voice speaks the first sentence of the first turn.
struct speaking_a : named_turns {
    speaking_a() {
        attach(line, start("a"));
        chunk(1, 0, "One. ");
        sent(line);
    }
};

// The socket is lost during turn "a", and the reply has ended because of the loss.
struct lost_a : speaking_a {
    lost_a() {
        drop(line);
        end(1, finish_reason::interrupted, "One. ");
    }
};

TEST(voice_turn_id, comes_with_each_chunk_and_the_end) {
    named_turns s;
    s.attach(line, start("a"));
    s.chunk(1, 0, "One. ");
    s.say(line, R"({"type":"continue","chunk":"1-0"})");
    s.chunk(1, 1, "Two.");
    s.end(1);
    EXPECT_THAT(s.turns_told_to(line), ElementsAre("chunk a", "chunk a", "end a"));
}

TEST(voice_turn_id, is_in_nothing_that_comes_of_a_start_without_one) {
    named_turns s;
    s.attach(line, hello);
    s.chunk(1, 0, "One. ");
    s.end(1);
    EXPECT_THAT(s.turns_told_to(line), ElementsAre("chunk", "end"));
}

TEST(voice_turn_id, distinguishes_the_end_of_the_reply_that_was_talked_over_from_the_new_one) {
    speaking_a s;
    s.say(line, start("b"));
    s.end(1, finish_reason::interrupted);
    s.chunk(2, 0, "Two.");
    EXPECT_THAT(s.turns_told_to(line), ElementsAre("end a", "chunk b"));
}

TEST(voice_turn_id, comes_with_the_error_that_ends_a_reply) {
    speaking_a s;
    s.end(1, finish_reason::error);
    EXPECT_THAT(s.turns_told_to(line), ElementsAre("error a"));
}

TEST(voice_turn_id, comes_with_the_end_of_a_turn_that_was_never_begun) {
    speaking_a s;
    s.say(line, start("b"));
    s.say(line, start("c"));
    s.end(1, finish_reason::interrupted);
    EXPECT_THAT(s.turns_told_to(line), ElementsAre("end a", "end b"));
}

TEST(voice_turn_id, comes_with_what_is_wrong_with_the_start) {
    speaking_a s;
    s.say(line, start("b", R"("model":"another","text":"Hello")"));
    s.say(line, start("c", R"("timeline":true)"));
    s.say(line, R"({"type":"resume","turn":"d"})");
    s.say(line, R"({"type":"resume"})");
    EXPECT_THAT(s.turns_told_to(line), ElementsAre("error b", "error c", "error d", "error"));
}

TEST(voice_turn_id, comes_with_the_refusal_of_its_turn) {
    named_turns s;
    s.permits = false;
    s.attach(line, start("a"));
    s.refuse(1);
    s.say(line, start("b"));
    s.drain();
    EXPECT_THAT(s.turns_told_to(line), ElementsAre("error a", "error b"));
}

TEST(voice_turn_id, of_what_is_resumed_is_that_of_the_resume) {
    speaking_a s;
    s.say(line, R"({"type":"interrupt"})");
    s.end(1, finish_reason::interrupted);
    s.say(line, R"({"type":"resume","turn":"b"})");
    s.end(2, finish_reason::interrupted);
    s.say(line, R"({"type":"resume"})");
    s.end(3);
    EXPECT_THAT(s.turns_told_to(line), ElementsAre("end a", "end b", "end")) << "none is taken";
}

TEST(voice_turn_id, stays_that_of_the_cut_reply_if_a_connection_is_taken_up_without_words) {
    lost_a s;
    s.attach(next_line, R"({"type":"start","session":"s-1"})");
    s.chunk(2, 0, "One. ");
    EXPECT_THAT(s.turns_told_to(next_line), ElementsAre("end a", "chunk a"));
}

TEST(voice_turn_id, is_that_of_the_start_which_takes_up_the_connection_if_it_has_one) {
    lost_a s;
    s.attach(next_line, start("b", R"("session":"s-1")"));
    s.chunk(2, 0, "One. ");
    EXPECT_THAT(s.turns_told_to(next_line), ElementsAre("end a", "chunk b"));
}

TEST(voice_turn_id, of_a_refused_start_is_not_that_of_what_continues) {
    lost_a s;
    s.attach(next_line, start("b", R"("session":"s-1","model":"another")"));
    s.chunk(2, 0, "One. ");
    EXPECT_THAT(s.turns_told_to(next_line), ElementsAre("end a", "error b", "chunk a"));
}

TEST(voice_call_id, of_a_result_is_in_the_error_about_it) {
    EXPECT_EQ(get_ids(voice::result{.call = "c"}).call, "c");
    const struct {
        const char *text, *call;
    } rows[] = {
        {R"({"type":"result","call":"c"})", "c"},
        {R"({"type":"result","call":"c","content":7})", "c"},
        {R"({"type":"result","call":7})", ""},
        {R"({"type":"result","call":"c","call":"d","content":""})", ""},
    };
    for (const auto& row : rows) {
        const auto read = parse_voice_message(row.text);
        const auto* const why = std::get_if<voice_message_error>(&read);
        ASSERT_TRUE(why) << row.text;
        EXPECT_EQ(why->ids.call, row.call) << row.text;
    }
    EXPECT_EQ(nlohmann::json::parse(encode_no_session_error({.call = "c"}))["call"], "c");
}

}  // namespace
}  // namespace tandem::gateway
