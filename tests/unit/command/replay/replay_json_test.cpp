#include "replay/replay_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace {

using namespace tandem::command;
using nlohmann::json;
using testing::HasSubstr;

tandem::reply_result some_result() {
    tandem::reply_result r;
    r.finish_reason = tandem::finish_reason::eos;
    r.text = "Hello!";
    r.usage = {.prompt = 41,
               .cached = 5,
               .evaluated = 36,
               .generated = 64,
               .drafted = 11,
               .draft_wasted = 7,
               .prefilled = 23,
               .handed_over = 62,
               .heard = 62,
               .wasted = 2};
    r.metrics.chunks = 4;
    r.metrics.requests = 5;
    r.metrics.guard_waits = 1;
    r.metrics.guard_wait_ms = 0.25;
    r.metrics.slot_wait_ms = 1.5;
    r.metrics.first_slot_wait_ms = 1;
    r.metrics.first_chunk_ms = 7.125;
    r.metrics.total_ms = 93;
    r.metrics.longest_connect_ms = 0.5;
    r.metrics.longest_first_token_ms = 6;
    r.metrics.longest_token_gap_ms = 2;
    r.metrics.longest_continue_ms = 30;
    return r;
}

TEST(chunk_line, has_the_keys_of_the_contract_in_order) {
    const tandem::chunk c{.id = {9, 2},
                          .text = "Hello!",
                          .speech = "Hello",
                          .boundary = tandem::boundary::sentence,
                          .tokens = 3,
                          .metrics = {.request = 5,
                                      .slot = 1,
                                      .slot_reused = true,
                                      .cached = 40,
                                      .evaluated = 1,
                                      .guard_wait_ms = 1.5,
                                      .gap_ms = 12}};
    EXPECT_EQ(
        json_line(chunk_event{.where = {"p1", 4, 3}, .chunk = c, .t_ns = 12345678901234}),
        R"({"event":"chunk","id":"p1","turn":3,"reply":4,"seq":2,"text":"Hello!","speech":"Hello",)"
        R"("boundary":"sentence","tokens":3,"request":5,"slot":1,"slot_reused":true,)"
        R"("cached":40,"evaluated":1,"guard_wait_ms":1.500,"gap_ms":12.000,"t_ns":12345678901234})"
        "\n");
}

TEST(end_line, has_the_keys_of_the_contract) {
    const auto r = some_result();
    EXPECT_EQ(
        json_line(end_event{.where = {"p1", 0}, .result = r, .t_ns = 5}),
        R"({"event":"end","id":"p1","turn":0,"reply":0,"finish_reason":"eos","text":"Hello!",)"
        R"("chunks":4,"usage":{"prompt":41,"cached":5,"evaluated":36,"generated":64,)"
        R"("handed_over":62,"heard":62,"wasted":2,"reasoning":0,"warmed":0,)"
        R"("drafted":11,"draft_wasted":7,"prefilled":23},)"
        R"("first_chunk_ms":7.125,"total_ms":93.000,"guard_waits":1,)"
        R"("guard_wait_ms":0.250,"slot_wait_ms":1.500,"first_slot_wait_ms":1.000,)"
        R"("longest_gap_ms":0.000,"reasoning_ms":0.000,"reasoning_cut":false,"requests":5,"warmings":0,)"
        R"("verified_cuts":0,"cancel_to_idle_ms":0.000,"longest_connect_ms":0.500,)"
        R"("longest_first_token_ms":6.000,"longest_token_gap_ms":2.000,)"
        R"("longest_continue_ms":30.000,"retries":0,"lost_ms":[],"t_ns":5})"
        "\n");
}

TEST(end_line, reports_how_often_and_when_its_servers_failed) {
    auto r = some_result();
    r.metrics.retries = 2;
    using kind = tandem::timeline_event::kind;
    r.timeline = {{.what = kind::request, .at_ns = 1},
                  {.what = kind::lost, .at_ns = 1'500'000},
                  {.what = kind::lost, .at_ns = 20'000'000}};
    EXPECT_THAT(json_line(end_event{.where = {"p1", 0}, .result = r}),
                HasSubstr(R"("retries":2,"lost_ms":[1.500,20.000],)"));
}

TEST(json_line, has_what_the_model_wrote_for_itself) {
    auto r = some_result();
    r.reasoning = "Hm.";
    EXPECT_THAT(json_line(end_event{.where = {"p1", 0}, .result = r}),
                HasSubstr(R"("text":"Hello!","reasoning":"Hm.",)"));
}

TEST(end_line, names_the_functions_that_the_reply_called) {
    auto r = some_result();
    r.calls = {{.id = "1", .name = "f", .arguments = "{}"}};
    EXPECT_THAT(json_line(end_event{.where = {"p1", 0}, .result = r}),
                HasSubstr(R"("calls":[{"id":"1","name":"f","arguments":"{}"}],"chunks":4)"));
}

TEST(end_line, has_no_first_chunk_time_if_there_was_no_chunk) {
    auto r = some_result();
    r.metrics.first_chunk_ms = -1;
    EXPECT_THAT(json_line(end_event{.where = {"p1", 0}, .result = r}),
                HasSubstr(R"("first_chunk_ms":null)"));
}

TEST(error_line, keeps_what_was_handed_over) {
    auto r = some_result();
    r.finish_reason = tandem::finish_reason::error;
    r.error = tandem::errc::stream_incomplete;
    r.diagnostics.client_message = "it broke";
    const auto line = json::parse(json_line(end_event{.where = {"p1", 0}, .result = r}));
    EXPECT_EQ(line["event"], "error");
    EXPECT_EQ(line["code"], "stream_incomplete");
    EXPECT_EQ(line["message"], "it broke");
    EXPECT_EQ(line["retryable"], true);
    EXPECT_EQ(line["text"], "Hello!");
    EXPECT_EQ(line["usage"]["generated"], 64);
    EXPECT_FALSE(line.contains("finish_reason"));
}

TEST(error_line, has_words_if_the_diagnostics_have_none) {
    auto r = some_result();
    r.finish_reason = tandem::finish_reason::error;
    r.error = tandem::errc::model_loading;
    const auto line = json::parse(json_line(end_event{.where = {"p1", 0}, .result = r}));
    EXPECT_THAT(line["message"].get<std::string>(), HasSubstr("still loading"));
}

TEST(error_line, has_no_id_if_it_concerns_the_whole_run) {
    const tandem::diagnostics d{.client_message = "nobody listens"};
    const auto line = json::parse(json_line(fault_event{tandem::errc::connect_failed, d, 7}));
    EXPECT_TRUE(line["id"].is_null());
    EXPECT_TRUE(line["turn"].is_null());
    EXPECT_TRUE(line["reply"].is_null());
    EXPECT_EQ(line["code"], "connect_failed");
}

TEST(json_lines, name_the_server_if_it_is_reported) {
    const auto r = some_result();
    const tandem::chunk c{};
    const tandem::diagnostics d;
    const auto end = end_event{.where = {"p1", 0}, .result = r, .server = "http://a:1"};
    EXPECT_THAT(json_line(end), HasSubstr(R"("turn":0,"reply":0,"server":"http://a:1",)"));
    EXPECT_THAT(json_line(chunk_event{.where = {"p1", 0}, .chunk = c, .server = "http://a:1"}),
                HasSubstr(R"("turn":0,"reply":0,"server":"http://a:1",)"));
    EXPECT_THAT(json_line(fault_event{tandem::errc::connect_failed, d, 7, "http://a:1"}),
                HasSubstr(R"("turn":null,"reply":null,"server":"http://a:1",)"));
}

TEST(json_lines, stay_valid_whatever_the_texts_hold) {
    const tandem::chunk c{.text = "a\xFF\"\n\x01\xE2\x82"};
    const auto text = json_line(chunk_event{.where = {"\xC3", 0}, .chunk = c});
    const auto line = json::parse(text);
    EXPECT_EQ(line["text"], "a\xEF\xBF\xBD\"\n\x01\xEF\xBF\xBD");
    EXPECT_EQ(text.find('\n'), text.size() - 1);
}

TEST(summary_line, has_the_figures_of_the_run) {
    replay_summary s;
    s.replies = 4;
    s.complete = 1;
    s.failed = 1;
    s.interrupted = 1;
    s.not_started = 1;
    s.went_on = 2;
    s.retries = 3;
    s.chunks = 9;
    s.calls = 3;
    s.generated = 100;
    s.cached = 30;
    s.evaluated = 10;
    s.cpu_ms = 2;
    s.heard = 90;
    s.cuts = 4;
    s.first_token_ms.p50 = 0.5;
    s.first_chunk_ms.p50 = 1.5;
    const auto line = json::parse(json_line(s));
    EXPECT_EQ(line["event"], "summary");
    EXPECT_EQ(line["not_started"], 1);
    EXPECT_EQ(line["went_on"], 2);
    EXPECT_EQ(line["retries"], 3);
    EXPECT_EQ(line["tokens"]["generated"], 100);
    EXPECT_EQ(line["tokens"]["hit_ratio"], 0.75);
    EXPECT_EQ(line["tokens"]["heard"], 90);
    EXPECT_EQ(line["calls"], 3);
    EXPECT_EQ(line["cuts"], 4);
    EXPECT_EQ(line["first_token_ms"]["p50"], 0.5);
    EXPECT_EQ(line["first_chunk_ms"]["p50"], 1.5);
    EXPECT_TRUE(line["first_chunk_ms"]["max"].is_null());
    EXPECT_EQ(line["cpu_us_per_token"], 20.0);
}

TEST(summary_line, has_the_figures_of_servers_and_conversations) {
    replay_summary s;
    s.slot_wait_ms.max = 7;
    s.servers = {
        {.url = "http://a:1",
         .state = "up",
         .slots =
             {{.slot = 1, .requests = 3, .chunks = 2, .generated = 9, .cached = 6, .evaluated = 2}},
         .replies = 2,
         .failed = 1},
        {.url = "http://b:1", .state = "down"}};
    s.conversations = {.count = 1, .turns = 2, .trims = 3, .moves = 4, .resumed = 5};
    const auto text = json_line(s);
    EXPECT_THAT(text, HasSubstr(R"("servers":[{"url":"http://a:1","state":"up","slots":[{"slot":1,)"
                                R"("requests":3,"chunks":2,"generated":9,"cached":6,"evaluated":2,)"
                                R"("cache_hit_ratio":0.750}],"replies":2,"failed":1},)"
                                R"({"url":"http://b:1","state":"down","slots":[],)"
                                R"("replies":0,"failed":0}])"));
    const auto line = json::parse(text);
    EXPECT_EQ(line["slot_wait_ms"]["max"], 7);
    EXPECT_EQ(line["conversations"].dump(),
              R"({"count":1,"moves":4,"resumed":5,"trims":3,"turns":2})");
}

}  // namespace
