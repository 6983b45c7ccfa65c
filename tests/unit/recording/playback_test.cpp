#include "recording/playback.hpp"

#include "recorded_lines.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

namespace {

using namespace std::chrono_literals;
using tandem::recorded_request_key;
using tandem::detail::answer_step;
using tandem::detail::playback;
using tandem::testing::recorded_lines;
using tandem::transport::http_request;
using testing::ElementsAre;
using testing::HasSubstr;

class playback_test : public testing::Test {
 protected:
    playback& player() {
        if (!player_) player_ = std::make_shared<playback>(lines.traffic());
        return *player_;
    }
    /// All bytes of an answer, up to its end or at most 20 steps.
    std::string answer(const http_request& request, const std::string& server = "http://a") {
        const auto script = player().answer(server, request, 250ms);
        std::string bytes;
        for (int i = 0; i < 20; ++i)
            if (const auto step = script())
                bytes += step->bytes;
            else
                break;
        return bytes;
    }
    std::string get(const std::string& path, const std::string& server = "http://a") {
        return answer({.method = "GET", .path = path}, server);
    }
    std::string complete(const std::string& prompt, std::uint64_t reply) {
        return answer({.path = "/completion",
                       .body = R"({"prompt":")" + prompt + R"("})",
                       .reply_key = recorded_request_key{.scope_number = 1, .reply = reply}});
    }
    void record_reply(std::uint64_t number, std::string_view prompt, const std::string& text) {
        lines.ask(0, number, prompt);
        lines.tokens({text});
        lines.final_event(2);
        lines.end();
    }

    recorded_lines lines;

 private:
    std::shared_ptr<playback> player_;
};

TEST_F(playback_test, answers_calls_in_their_order_and_the_last_one_for_ever) {
    lines.call("/health", "", "loading");
    lines.call("/health", "", "ok");
    EXPECT_EQ(get("/health"), "loading");
    EXPECT_EQ(get("/health"), "ok");
    EXPECT_EQ(get("/health"), "ok");
}

TEST_F(playback_test, answers_a_call_with_the_same_body_first) {
    lines.call("/tokenize", "one", "1");
    lines.call("/tokenize", "two", "2");
    EXPECT_EQ(answer({.path = "/tokenize", .body = "two"}), "2");
    EXPECT_EQ(answer({.path = "/tokenize", .body = "one"}), "1");
}

TEST_F(playback_test, knows_servers_apart) {
    lines.call("/props", "", "of a", "http://a");
    lines.call("/props", "", "of b", "http://b");
    EXPECT_EQ(get("/props", "http://b"), "of b");
    EXPECT_EQ(get("/props", "http://a"), "of a");
    EXPECT_THAT(player().servers(), ElementsAre("http://a", "http://b"));
}

// During playback, placement may choose another server than in the recording.
TEST_F(playback_test, finds_the_same_question_at_another_server_before_another_one_here) {
    lines.call("/apply-template", "of b", "prompt of b", "http://b");
    lines.call("/apply-template", "of a", "prompt of a", "http://a");
    EXPECT_EQ(answer({.path = "/apply-template", .body = "of b"}, "http://a"), "prompt of b");
    EXPECT_EQ(answer({.path = "/apply-template", .body = "of b"}, "http://a"), "prompt of b");
}

// The recording ended while the second request was still running.
TEST_F(playback_test, repeats_the_last_call_that_was_answered) {
    lines.call("/health", "", "ok");
    lines.add(tandem::wire::recorded_request{
        .number = 2, .server = "http://a", .method = "GET", .path = "/health"});
    EXPECT_EQ(get("/health"), "ok");
    EXPECT_EQ(get("/health"), "");
    EXPECT_EQ(get("/health"), "ok");
}

TEST_F(playback_test, reports_what_it_has_no_answer_to) {
    lines.call("/props", "", "of a");
    EXPECT_THAT(get("/slots"), HasSubstr("the recording has no answer to GET /slots"));
}

TEST_F(playback_test, finds_replies_by_their_prompts) {
    record_reply(1, "first", "One");
    record_reply(2, "second", "Two");
    EXPECT_THAT(complete("second", 7), HasSubstr("Two"));
    EXPECT_THAT(complete("first", 8), HasSubstr("One"));
}

TEST_F(playback_test, takes_replies_in_order_if_no_prompt_is_the_same) {
    record_reply(1, "first", "One");
    record_reply(2, "second", "Two");
    EXPECT_THAT(complete("another", 7), HasSubstr("One"));
    EXPECT_THAT(complete("yet another", 8), HasSubstr("Two"));
    EXPECT_THAT(complete("too many", 9), HasSubstr("no more replies"));
}

TEST_F(playback_test, has_no_other_words_for_a_prompt_that_was_played) {
    record_reply(1, "first", "One");
    record_reply(2, "second", "Two");
    complete("first", 7);
    EXPECT_THAT(complete("first", 8), HasSubstr("no more replies"));
    EXPECT_THAT(complete("second", 9), HasSubstr("Two"));
}

TEST_F(playback_test, takes_the_reply_whose_prompt_is_most_like_the_one_that_is_asked) {
    record_reply(1, "Hi there", "One");
    record_reply(2, "So then", "Two");
    EXPECT_THAT(complete("So what", 7), HasSubstr("Two"));
}

TEST_F(playback_test, survives_a_body_that_is_nested_deeply) {
    lines.add(tandem::wire::recorded_request{.number = 1,
                                             .server = "http://a",
                                             .method = "POST",
                                             .path = "/completion",
                                             .body = R"({"prompt":)" + std::string(1'000'000, '['),
                                             .reply_key = recorded_request_key{.reply = 1}});
    EXPECT_TRUE(player().replies()[0].prompt.empty());
}

TEST_F(playback_test, knows_a_reply_again) {
    record_reply(1, "first", "One");
    record_reply(2, "second", "Two");
    complete("first", 7);
    EXPECT_THAT(complete("first and more", 7), HasSubstr("One"));
}

TEST_F(playback_test, prefills_also_what_was_not_prefilled_then) {
    record_reply(1, "first", "One");
    EXPECT_THAT(
        answer(
            {.path = "/completion",
             .body = R"({"prompt":"first","id_slot":1,"n_predict":1})",
             .reply_key = recorded_request_key{.scope_number = 1, .reply = 7, .is_prefill = true}}),
        HasSubstr(R"("stop":true)"));
}

// The recorded prefill was cut, but the playback must answer it: otherwise, the client would never
// learn that the slot is ready.
TEST_F(playback_test, prefills_what_was_cut_then) {
    record_reply(1, "first", "One");
    const std::string body = R"({"prompt":"first","id_slot":1,"n_predict":1})";
    const recorded_request_key place{.scope_number = 1, .reply = 1, .is_prefill = true};
    lines.add(tandem::wire::recorded_request{.number = 99,
                                             .server = "http://a",
                                             .method = "POST",
                                             .path = "/completion",
                                             .body = body,
                                             .reply_key = place});
    lines.add(tandem::wire::recorded_status{99, 200});
    lines.add(tandem::wire::recorded_cut{99});
    EXPECT_THAT(answer({.path = "/completion", .body = body, .reply_key = place}),
                HasSubstr(R"("stop":true)"));
}

TEST_F(playback_test, waits_as_long_as_the_speed_says) {
    const answer_step wait{.delay = 100ms};
    EXPECT_EQ(player().delay_of_step(wait, 250ms), 100ms);
    player().set_speed(4);
    EXPECT_EQ(player().delay_of_step(wait, 250ms), 25ms);
    player().set_speed(0);
    EXPECT_EQ(player().delay_of_step(wait, 250ms), 0ms);
}

TEST_F(playback_test, waits_a_year_at_most) {
    player().set_speed(0.01);
    EXPECT_EQ(player().delay_of_step({.delay = 1'000'000'000s}, 250ms), 365 * 24h);
}

TEST_F(playback_test, does_not_read_prompts_that_are_nested_without_end) {
    const std::string nested(1'000'000, '[');
    lines.ask(0, 1, nested + R"(","id_slot":)" + nested);
    lines.tokens({"One"});
    EXPECT_EQ(player().replies()[0].prompt, "");
    lines.ask(0);
    EXPECT_THAT(complete("another", 7), HasSubstr("One"));
}

TEST_F(playback_test, keeps_waits_that_decide_something) {
    player().set_speed(0);
    EXPECT_EQ(player().delay_of_step({.delay = 250ms, .is_timing_relevant = true}, 250ms), 250ms);
    EXPECT_EQ(player().delay_of_step({.delay = 249ms, .is_timing_relevant = true}, 250ms), 0ms);
    EXPECT_EQ(player().delay_of_step({.delay = 250ms}, 250ms), 0ms)
        << "the delay of a first token is not relevant";
    EXPECT_EQ(player().delay_of_step({.delay = 250ms, .is_timing_relevant = true}, 0ms), 0ms);
    player().set_speed(0.25);
    EXPECT_EQ(player().delay_of_step({.delay = 100ms, .is_timing_relevant = true}, 250ms), 230ms);
    EXPECT_EQ(player().delay_of_step({.delay = 100ms}, 250ms), 400ms);
}

}  // namespace
