#include "recording/recorded_reply.hpp"

#include "recorded_lines.hpp"
#include "wire/json/token_event.hpp"
#include "wire/stream/completion_reader.hpp"
#include "wire/stream/token_event_decoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace tandem::detail;
using tandem::errc;
using tandem::testing::recorded_lines;
using testing::HasSubstr;
using kind = answer_step::kind;

class recorded_reply_test : public testing::Test {
 protected:
    /// Up to `most` steps of the answer to `request`. With a small `most`, the list ends with the
    /// step that the test examines.
    std::vector<answer_step> ask(playback_request request, std::size_t most = 100) {
        const auto script = reply().answer(request, 250ms);
        std::vector<answer_step> steps;
        while (steps.size() < most)
            if (auto step = script())
                steps.push_back(std::move(*step));
            else
                break;
        return steps;
    }
    std::vector<answer_step> ask(std::size_t from) { return ask({from, 0, -1}); }

    /// The text in the steps.
    static std::string text_in(const std::vector<answer_step>& steps) {
        tandem::wire::completion_reader reader;
        std::string text;
        for (const auto& s : steps) {
            if (s.what == kind::status) reader.begin(s.http_status);
            if (s.what != kind::data) continue;
            reader.feed(s.bytes);
            for (tandem::wire::token_event e; reader.next(e);) text += e.content;
        }
        return text;
    }

    void final_with_text() {
        tandem::wire::token_event e;
        e.what = tandem::wire::token_event::kind::final;
        e.content = "a";
        lines.bytes(tandem::wire::encode_stream_event(e));
    }

    recorded_lines lines;
    std::size_t times_ = 1;  // how often each request is repeated

 private:
    recorded_reply& reply() {
        if (reply_) return *reply_;
        traffic_ = lines.traffic();
        std::vector<recorded_segment> segments;
        for (const auto& x : traffic_.exchanges)
            segments.insert(segments.end(), times_, parse_segment(x));
        reply_ = std::make_shared<recorded_reply>(std::move(segments));
        return *reply_;
    }

    recorded_traffic traffic_;
    std::shared_ptr<recorded_reply> reply_;
};

TEST_F(recorded_reply_test, answers_the_same_request_with_the_same_bytes_at_the_same_times) {
    lines.ask(0);
    lines.wait(20ms);
    lines.tokens({"Hi", " there"});
    lines.cut();
    const auto steps = ask({0, 0, -1}, 3);
    EXPECT_EQ(steps[0].what, kind::status);
    EXPECT_EQ(steps[0].delay, 21ms);
    EXPECT_EQ(steps[1].bytes, recorded_lines::token_bytes("Hi", 1));
    EXPECT_EQ(steps[1].delay, 1ms);
    EXPECT_EQ(steps[2].bytes, recorded_lines::token_bytes(" there", 2));
}

TEST_F(recorded_reply_test, numbers_tokens_again_for_a_request_that_begins_elsewhere) {
    lines.whole(0, {"Hi", " you", " there"});
    const auto steps = ask(2);
    ASSERT_GE(steps.size(), 3u);
    EXPECT_EQ(text_in(steps), " you there");
    tandem::wire::token_event e;
    ASSERT_FALSE(tandem::wire::decode_token_event(
        std::string_view(steps[1].bytes).substr(std::string_view("data: ").size()), e));
    EXPECT_EQ(e.predicted, 1);
    EXPECT_EQ(e.prompt_tokens, 6) << "the previous token is part of the prompt";
    EXPECT_EQ(steps[1].delay, 1ms) << "the delay of the recording's first token";
}

// If the end of a reply arrives with its last chunk, the client marks this chunk as the end. The
// playback must therefore not separate them.
TEST_F(recorded_reply_test, gives_at_once_what_came_at_once) {
    lines.ask(0);
    lines.status(200);
    lines.bytes(recorded_lines::token_bytes("Hi", 1) + recorded_lines::token_bytes(" you", 2));
    lines.token(" there", 3);
    lines.final_event(4);
    lines.end();
    EXPECT_EQ(ask({0, 0, -1}, 2).back().bytes,
              recorded_lines::token_bytes("Hi", 1) + recorded_lines::token_bytes(" you", 2));
    EXPECT_EQ(text_in(ask({0, 1, -1}, 2)), "Hi you");
}

TEST_F(recorded_reply_test, counts_as_far_as_it_can) {
    constexpr int most = tandem::wire::max_reported_tokens / 2;
    lines.ask(0);
    lines.status(200);
    lines.token("One.", most);
    lines.cut();
    lines.ask(4);
    lines.status(200);
    lines.token(" Two.", most);
    lines.cut();
    EXPECT_EQ(text_in(ask(0)), "One. Two.");
}

TEST_F(recorded_reply_test, reports_the_progress_of_the_prompt_also_at_another_slot) {
    tandem::wire::token_event progress;
    progress.what = tandem::wire::token_event::kind::progress;
    progress.prompt_tokens = 9;
    progress.timings = {.cached = 2, .evaluated = 4};
    lines.ask(0);
    lines.status(200);
    lines.bytes(tandem::wire::encode_stream_event(progress));
    lines.token("Hi", 1);
    lines.cut();
    const auto steps = ask({0, 1, -1}, 2);
    tandem::wire::token_event e;
    ASSERT_FALSE(tandem::wire::decode_token_event(
        std::string_view(steps[1].bytes).substr(std::string_view("data: ").size()), e));
    EXPECT_TRUE(tandem::wire::is_partial_prompt_progress(e));
    EXPECT_EQ(e.timings.evaluated, 4);
}

// None of the requests adds text. They must be skipped in a loop, because 20,000 nested calls would
// overflow the stack.
TEST_F(recorded_reply_test, passes_over_any_number_of_requests_that_bring_nothing) {
    lines.ask(0);
    lines.status(200);
    final_with_text();
    lines.cut();
    times_ = 20'000;
    EXPECT_EQ(ask({0, 1, -1}).size(), 2u);
}

TEST_F(recorded_reply_test, keeps_reading_if_the_recorded_request_was_cut) {
    lines.ask(0);
    lines.tokens({"One.", " Two"});
    lines.cut();
    lines.whole(8, {" more."});
    EXPECT_EQ(text_in(ask(0)), "One. Two more.");
}

TEST_F(recorded_reply_test, leaves_out_what_was_dropped_after_the_cut) {
    lines.ask(0);
    lines.tokens({"One.", " Two", " NO", " NO"});
    lines.cut();
    lines.whole(8, {" more."});
    EXPECT_EQ(text_in(ask(0)), "One. Two more.");
    EXPECT_EQ(text_in(ask(4)), " Two more.");
    EXPECT_EQ(text_in(ask(8)), " more.");
}

// The next request generates the whole character, so the half before the cut is left out.
TEST_F(recorded_reply_test, leaves_out_half_a_character_after_the_cut) {
    lines.ask(0);
    lines.tokens({"One."});
    lines.bytes("data: {\"content\":\" \xF0\x9F\",\"stop\":false}\n\n");
    lines.wait(300ms);
    lines.cut();
    lines.whole(4, {" \xF0\x9F\x98\x80", " more."});
    const auto steps = ask(0);
    EXPECT_EQ(text_in(steps), "One. \xF0\x9F\x98\x80 more.");
    EXPECT_GT(steps[2].delay, 300ms) << "the silence that led to the cut";
}

TEST_F(recorded_reply_test, parts_an_event_if_a_request_begins_inside_it) {
    lines.whole(0, {"Hello there"});
    EXPECT_EQ(text_in(ask(5)), " there");
}

TEST_F(recorded_reply_test, fails_once_if_the_recorded_request_failed) {
    lines.ask(0);
    lines.tokens({"One.", " Two"});
    lines.end(errc::stream_incomplete, "it broke");
    lines.whole(8, {" more."});
    const auto first = ask(4);  // the recorded run did not send this request
    EXPECT_EQ(text_in(first), " Two");
    EXPECT_EQ(first.back().what, kind::end);
    EXPECT_EQ(first.back().ec, errc::stream_incomplete);
    EXPECT_EQ(first.back().message, "it broke");
    EXPECT_EQ(text_in(ask(8)), " more.");
}

TEST_F(recorded_reply_test, refuses_a_request_as_often_as_the_recorded_one_was_refused) {
    for (int i = 0; i < 2; ++i) {
        lines.ask(0);
        lines.status(503);
        lines.bytes("{}");
        lines.end();
    }
    lines.whole(0, {"Hi"});
    EXPECT_EQ(ask(0).front().http_status, 503);
    EXPECT_EQ(ask(0).front().http_status, 503);
    EXPECT_EQ(text_in(ask(0)), "Hi");
}

TEST_F(recorded_reply_test, meets_nobody_if_the_recorded_request_met_nobody) {
    lines.ask(0);
    lines.end(errc::connect_failed, "nobody");
    lines.whole(0, {"Hi"});
    const auto steps = ask(0);
    ASSERT_EQ(steps.size(), 1u);
    EXPECT_EQ(steps[0].ec, errc::connect_failed);
    EXPECT_EQ(text_in(ask(0)), "Hi");
}

TEST_F(recorded_reply_test, breaks_in_the_middle_of_an_event_as_then) {
    lines.ask(0);
    lines.tokens({"One."});
    lines.bytes("data: {\"cont");
    lines.end(errc::stream_incomplete, "it broke");
    const auto steps = ask(0);
    ASSERT_EQ(steps.size(), 4u);
    EXPECT_EQ(steps[2].bytes, "data: {\"cont");
    EXPECT_EQ(steps[3].ec, errc::stream_incomplete);
}

// The client closes the connection because of the garbage, so the recording contains a cut.
TEST_F(recorded_reply_test, sends_the_garbage_that_a_client_cut_for) {
    lines.ask(0);
    lines.tokens({"One."});
    lines.bytes("data: garbage\n\n");
    lines.cut();
    lines.whole(4, {" Two."});
    EXPECT_EQ(ask({0, 0, -1}, 3).back().bytes, "data: garbage\n\n");
    EXPECT_EQ(text_in(ask(4)), " Two.");
}

// No token came for `peek_hold`, so the chunk ended and the client cut the request. On playback, a
// client that does not cut there must receive nothing for just as long.
TEST_F(recorded_reply_test, is_silent_as_long_as_the_client_waited_before_it_cut) {
    lines.ask(0);
    lines.tokens({"One."});
    lines.wait(300ms);
    lines.cut();
    lines.whole(4, {" Two."});
    const auto steps = ask({0, 0, -1}, 3);
    EXPECT_EQ(text_in(steps), "One. Two.");
    EXPECT_GE(steps[2].delay, 301ms);
    EXPECT_TRUE(steps[2].is_timing_relevant);
}

TEST_F(recorded_reply_test, ends_at_the_limit_of_tokens_that_is_asked_for) {
    lines.whole(0, {"One.", " Two.", " Three."});
    const auto steps = ask({0, 0, 2});
    EXPECT_EQ(text_in(steps), "One. Two.");
    EXPECT_THAT(steps.back().bytes, HasSubstr(R"("stop_type":"limit")"));
}

TEST_F(recorded_reply_test, is_as_slow_to_answer_as_the_server_that_nobody_waited_for) {
    lines.ask(0);
    lines.wait(2s);
    lines.cut();
    lines.whole(0, {"Hi"});
    const auto steps = ask(0);
    EXPECT_EQ(text_in(steps), "Hi");
    EXPECT_GE(steps[0].delay, 2s);
    EXPECT_TRUE(steps[0].is_timing_relevant);
}

TEST_F(recorded_reply_test, goes_through_any_number_of_requests) {
    lines.ask(0);
    lines.status(200);
    lines.final_event(1);
    lines.cut();
    times_ = 100'000;
    EXPECT_FALSE(ask(5).empty());
}

TEST_F(recorded_reply_test, gives_the_end_to_who_asks_after_the_last_word) {
    lines.whole(0, {"One."});
    EXPECT_THAT(ask(4).back().bytes, HasSubstr(R"("stop_type":"eos")"));
}

TEST_F(recorded_reply_test, reports_that_it_has_no_more_text) {
    lines.ask(0);
    lines.tokens({"One.", " Two"});
    lines.cut();
    const auto steps = ask(0);
    EXPECT_EQ(text_in(steps), "One. Two");
    EXPECT_THAT(steps.back().bytes, HasSubstr("only 8 bytes of this reply"));
    EXPECT_THAT(steps.back().bytes, HasSubstr("or the recording ends there"));
    EXPECT_GE(steps.back().delay, 1s) << "an interrupt at that time must arrive first";
}

TEST_F(recorded_reply_test, reports_the_slot_that_was_asked_for) {
    lines.whole(0, {"One."});
    const auto steps = ask({0, 3, -1});
    EXPECT_EQ(text_in(steps), "One.");
    EXPECT_THAT(steps[1].bytes, HasSubstr(R"("id_slot":3)"));
}

}  // namespace
