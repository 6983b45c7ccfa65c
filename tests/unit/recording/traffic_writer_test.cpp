#include "recording/traffic_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::recorded_request_key;
using tandem::detail::traffic_writer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class traffic_writer_test : public testing::Test {
 protected:
    traffic_writer writer(tandem::recorder_options options = {}) {
        return {[this](std::string_view line) { lines_.emplace_back(line); }, options, {}, "now"};
    }
    std::string all() const {
        std::string joined;
        for (const auto& line : lines_) joined += line + '\n';
        return joined;
    }

    std::vector<std::string> lines_;
};

TEST_F(traffic_writer_test, writes_what_goes_over_the_wire_with_its_times) {
    auto w = writer();
    const auto n =
        w.record_request(tandem::time_point(1ms), "http://a", {.method = "GET", .path = "/health"});
    w.record_status(tandem::time_point(2ms), n, 200);
    w.record_bytes(tandem::time_point(3ms), n, "ok");
    w.record_end(tandem::time_point(4ms), n, {}, {});
    EXPECT_THAT(
        lines_,
        ElementsAre(R"({"ms":0.0,"recording":1,"began":"now","prompts":true})",
                    R"({"ms":1.0,"request":1,"server":"http://a","method":"GET","path":"/health"})",
                    R"({"ms":2.0,"answer":1,"status":200})", R"({"ms":3.0,"answer":1,"data":"ok"})",
                    R"({"ms":4.0,"answer":1,"end":"whole"})"));
}

// Each client numbers its replies from 1, so the recording needs numbers of its own.
TEST_F(traffic_writer_test, numbers_replies_by_what_is_unique) {
    auto w = writer();
    for (const auto& [home, reply] : {std::pair(1u, 1u), {2u, 1u}, {1u, 1u}})
        w.record_request({}, "http://a",
                         {.path = "/completion",
                          .reply_key = recorded_request_key{.scope_number = home, .reply = reply}});
    EXPECT_THAT(lines_[1], HasSubstr(R"("reply":1)"));
    EXPECT_THAT(lines_[2], HasSubstr(R"("reply":2)"));
    EXPECT_THAT(lines_[3], HasSubstr(R"("reply":1)"));
}

TEST_F(traffic_writer_test, stops_at_its_bound_and_says_so) {
    auto w = writer({.max_bytes = 200});
    for (int i = 0; i < 10; ++i)
        w.record_request({}, "http://a", {.method = "GET", .path = "/health"});
    EXPECT_EQ(lines_.back(), R"({"ms":0.0,"full":true})");
    EXPECT_LT(all().size(), 200u + lines_.back().size() + 1);
}

TEST_F(traffic_writer_test, swallows_what_a_sink_throws_and_writes_no_more) {
    int calls = 0;
    traffic_writer w(
        [&](std::string_view) {
            if (++calls == 2) throw std::runtime_error("full disk");
        },
        {}, {}, "now");
    for (int i = 0; i < 3; ++i) w.record_cut({}, 1);
    EXPECT_EQ(calls, 2);
}

TEST_F(traffic_writer_test, leaves_prompts_out_of_requests_and_answers) {
    auto w = writer({.prompts = false});
    const auto asked =
        w.record_request({}, "http://a",
                         {.path = "/completion",
                          .body = R"({"prompt":"secret","id_slot":0})",
                          .reply_key = recorded_request_key{.scope_number = 1, .reply = 1}});
    w.record_status({}, asked, 200);
    w.record_bytes({}, asked, "data: {\"content\":\"spoken\"}\n\n");
    const auto made = w.record_request(
        {}, "http://a", {.path = "/apply-template", .body = R"({"messages":["secret"]})"});
    for (const auto* piece : {R"({"prompt":"<secr)", R"(et>"})"}) w.record_bytes({}, made, piece);
    w.record_end({}, made, {}, {});
    EXPECT_THAT(all(), Not(HasSubstr("secr")));
    EXPECT_THAT(all(), HasSubstr("spoken"));
    EXPECT_THAT(all(), HasSubstr("xxxxxxxx"));
    EXPECT_THAT(all(), HasSubstr(R"("prompts":false)"));
}

// Servers that do not know `response_fields` repeat the prompt.
TEST_F(traffic_writer_test, leaves_out_the_prompt_that_a_stream_says_again) {
    auto w = writer({.prompts = false});
    const auto n = w.record_request(
        {}, "http://a",
        {.path = "/completion", .reply_key = recorded_request_key{.scope_number = 1, .reply = 1}});
    w.record_status({}, n, 200);
    for (const auto* piece : {"data: {\"content\":\"spoken\"}\n\ndata: {\"stop\":true,\"pro",
                              "mpt\":\"secret\"}\n\n", "data: {\"prompt\":\"secr"})
        w.record_bytes({}, n, piece);
    w.record_end({}, n, {}, {});
    EXPECT_THAT(all(), HasSubstr("spoken"));
    EXPECT_THAT(all(), HasSubstr("stop"));
    EXPECT_THAT(all(), Not(HasSubstr("secr")));
}

TEST_F(traffic_writer_test, leaves_out_what_a_refusal_says_of_the_prompt) {
    auto w = writer({.prompts = false});
    const auto n = w.record_request({}, "http://a", {.path = "/completion"});
    w.record_status({}, n, 400);
    w.record_bytes({}, n, R"({"error":{"code":400,"message":"secret","type":"some_error"}})");
    w.record_end({}, n, {}, {});
    EXPECT_THAT(all(), Not(HasSubstr("secret")));
    EXPECT_THAT(all(), HasSubstr("some_error"));
}

TEST_F(traffic_writer_test, leaves_out_notes_that_no_line_can_hold) {
    auto w = writer();
    w.record_note({}, "no json");
    w.record_note({}, std::string(64, '[') + std::string(64, ']'));
    EXPECT_EQ(lines_.size(), 1u);
    w.record_note({}, std::string(62, '[') + std::string(62, ']'));
    ASSERT_EQ(lines_.size(), 2u);
    std::string fault;
    EXPECT_TRUE(tandem::wire::read_recording_line(lines_.back(), fault)) << fault;
}

TEST_F(traffic_writer_test, keeps_nothing_of_an_answer_with_prompts_that_was_cut) {
    auto w = writer({.prompts = false});
    const auto made = w.record_request({}, "http://a", {.path = "/tokenize", .body = "{}"});
    w.record_bytes({}, made, R"({"tokens":[1,2)");
    w.record_cut({}, made);
    EXPECT_THAT(all(), Not(HasSubstr("tokens")));
}

}  // namespace
