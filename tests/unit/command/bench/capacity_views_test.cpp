#include "bench/bench_json.hpp"
#include "bench/bench_text.hpp"
#include "text/terminal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <clocale>
#include <sstream>
#include <string>

namespace {

using namespace tandem::command;
using namespace std::chrono_literals;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const capacity_step good_step{.callers = 80,
                              .first_chunk_p95 = 745,
                              .gap_p99 = 1.5,
                              .first_chunks = 40,
                              .tokens = 2720,
                              .seconds = 10,
                              .speech_seconds = 800};
const capacity_step bad_step{.callers = 84,
                             .first_chunk_p95 = 2200,
                             .gap_p99 = 320,
                             .first_chunks = 40,
                             .failed = 2,
                             .tokens = 3200,
                             .seconds = 10,
                             .speech_seconds = 800};

capacity_report usual_capacity() {
    capacity_report r;
    r.setting = {.servers = {"http://a:1"}, .words_per_minute = 170, .pacing = "auto"};
    r.step_time = 20s;
    r.steps = {good_step, bad_step};
    r.callers = 80;
    r.over = 84;
    r.figures.errors = {{"queue_timeout", 2}};
    return r;
}

TEST(format_capacity_step, reports_whether_the_step_held_and_what_it_exceeded) {
    EXPECT_EQ(format_capacity_step(good_step, {}, false),
              "       80           745 ms    1.50 ms      272.0  ok\n");
    EXPECT_EQ(format_capacity_step(bad_step, {}, false),
              "       84           2.20 s     320 ms      320.0  over: first chunk, gap, failed\n");
}

TEST(format_capacity_step, has_a_dash_for_what_nobody_waited_for) {
    const auto line = format_capacity_step({.callers = 4}, {}, false);
    EXPECT_EQ(line, "        4                -          -        0.0  over: no first chunk\n");
}

TEST(format_capacity_head, reports_the_limits_and_the_columns_of_the_steps) {
    const auto text = format_capacity_head(usual_capacity(), false);
    EXPECT_THAT(text, HasSubstr("steps of 20s: first chunk p95 at most 1s, gap p99 100ms\n"));
    EXPECT_THAT(text, HasSubstr("voice of 170 words a minute, pacing auto\n"));
    EXPECT_THAT(text, HasSubstr("\n  callers  first chunk p95    gap p99   tokens/s\n"));
}

TEST(format_capacity_report, puts_the_limit_by_arithmetic_beside_the_number) {
    const auto text = format_capacity_report(usual_capacity(), false);
    EXPECT_THAT(text, HasSubstr("80 callers within the limits, 84 not\n"));
    EXPECT_THAT(text, HasSubstr("       2  queue_timeout\n"));
    EXPECT_THAT(text, HasSubstr("by arithmetic 86 callers: 320.0 tokens/s at most, 3.70 tokens/s"));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(format_capacity_report, rounds_callers_by_arithmetic_down) {
    capacity_report r;
    r.over = 4;
    r.steps = {{.tokens = 39, .seconds = 5, .speech_seconds = 10}};
    EXPECT_THAT(format_capacity_report(r, false),
                HasSubstr("by arithmetic 2 callers: 7.8 tokens/s at most, 3.90"));
    r.steps = {{.tokens = 195, .seconds = 50, .speech_seconds = 48}};
    EXPECT_THAT(format_capacity_report(r, false),
                HasSubstr("by arithmetic not even 1 caller: 3.9 tokens/s at most, 4.06"));
}

TEST(format_capacity_report, reports_that_not_even_one_caller_fits) {
    auto r = usual_capacity();
    r.callers = 0;
    r.over = 1;
    EXPECT_THAT(format_capacity_report(r, false), HasSubstr("not even 1 caller within the limits"));
}

TEST(format_capacity_report, of_a_stopped_run_reports_what_is_known) {
    capacity_report r;
    r.was_stopped = true;
    EXPECT_THAT(format_capacity_report(r, false), HasSubstr("no step has ended; stopped early\n"));
    EXPECT_THAT(format_capacity_report(r, false),
                HasSubstr("unknown, as no step was over the limits\n"));
    r.steps = {good_step};
    r.callers = 80;
    EXPECT_THAT(format_capacity_report(r, false),
                HasSubstr("80 callers within the limits; stopped early\n"));
}

TEST(format_capacity_report, reports_that_the_search_ended_at_its_maximum) {
    capacity_report r;
    r.steps = {good_step};
    r.callers = 1000;
    EXPECT_THAT(format_capacity_report(r, false),
                HasSubstr("1000 callers within the limits, and more are not tried\n"));
}

TEST(format_capacity, keeps_within_80_columns) {
    ASSERT_TRUE(std::setlocale(LC_CTYPE, "C.UTF-8"));
    auto r = usual_capacity();
    r.limits = {.first_chunk = 1500ms, .gap = 1500ms};
    std::istringstream lines(format_capacity_head(r, false) +
                             format_capacity_step(bad_step, {}, false) +
                             format_capacity_report(r, false));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(count_columns(line), 80) << line;
}

TEST(capacity_json, has_a_line_for_each_step) {
    const auto text = capacity_step_json(bad_step, {});
    EXPECT_EQ(text.find('\n'), text.size() - 1);
    const auto o = json::parse(text);
    EXPECT_EQ(o["event"], "capacity_step");
    EXPECT_EQ(o["callers"], 84);
    EXPECT_EQ(o["held"], false);
    EXPECT_EQ(o["exceeded"], "first chunk, gap, failed");
    EXPECT_EQ(o["first_chunk_p95_ms"], 2200);
    EXPECT_EQ(o["gap_p99_ms"], 320);
    EXPECT_EQ(o["failed"], 2);
    EXPECT_EQ(o["tokens_per_second"], 320);
}

TEST(capacity_json, has_one_line_for_what_the_steps_found) {
    const auto text = capacity_json(usual_capacity());
    EXPECT_EQ(text.find('\n'), text.size() - 1);
    const auto o = json::parse(text);
    EXPECT_EQ(o["event"], "capacity");
    EXPECT_EQ(o["callers"], 80);
    EXPECT_EQ(o["over"], 84);
    EXPECT_EQ(o["tokens_per_second"], 320);
    EXPECT_EQ(o["listener_tokens_per_second"], 3.7);
    EXPECT_NEAR(o["callers_by_arithmetic"].get<double>(), 86.5, 0.1);
    EXPECT_EQ(o["errors"]["queue_timeout"], 2);
    EXPECT_FALSE(o["stopped_early"]);
    const auto& setting = o["setting"];
    EXPECT_EQ(setting["servers"][0]["url"], "http://a:1");
    EXPECT_EQ(setting["first_chunk_within_ms"], 1000);
    EXPECT_EQ(setting["gap_within_ms"], 100);
    EXPECT_EQ(setting["step_seconds"], 20);
    EXPECT_FALSE(setting.contains("concurrency"));
}

TEST(capacity_json, has_null_for_what_was_not_seen) {
    EXPECT_TRUE(json::parse(capacity_step_json({}, {}))["gap_p99_ms"].is_null());
    EXPECT_TRUE(json::parse(capacity_json({}))["over"].is_null());
}

}  // namespace
