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
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

bench_report usual_report() {
    bench_report r;
    r.setting = {.servers = {"http://a:1"},
                 .concurrency = 4,
                 .users = {.partials = std::chrono::milliseconds(250), .revise = 0.3},
                 .pacing = "warm"};
    r.figures.replies = 10;
    r.figures.complete = 8;
    r.figures.failed = 2;
    r.figures.errors = {{"queue_full", 2}};
    r.figures.generated = 1000;
    r.figures.first_token = {10, 0.045, 1.5, 25, 2500};
    r.cost = {.seconds = 5,
              .loop_cpu_seconds = 0.02,
              .rss_before = 10 << 20,
              .rss_peak = 12 << 20,
              .peak_streams = 4};
    return r;
}

TEST(format_latency, has_three_digits) {
    EXPECT_EQ(format_latency(0), "0 µs");
    EXPECT_EQ(format_latency(0.045), "45 µs");
    EXPECT_EQ(format_latency(0.9996), "1.00 ms");
    EXPECT_EQ(format_latency(1.234), "1.23 ms");
    EXPECT_EQ(format_latency(23.44), "23.4 ms");
    EXPECT_EQ(format_latency(234.4), "234 ms");
    EXPECT_EQ(format_latency(2500), "2.50 s");
}

TEST(bench_report, counts_costs_by_token_stream_and_loop) {
    const auto r = usual_report();
    EXPECT_DOUBLE_EQ(r.cpu_us_per_token(), 20);
    EXPECT_DOUBLE_EQ(r.tokens_per_second(), 200);
    EXPECT_DOUBLE_EQ(r.replies_per_second(), 1.6) << "only complete replies count";
    EXPECT_DOUBLE_EQ(r.loop_load(), 0.004);
    EXPECT_EQ(r.bytes_per_stream(), 512 << 10);
}

TEST(bench_report, of_nothing_has_no_costs) {
    const bench_report r;
    EXPECT_EQ(r.cpu_us_per_token(), 0);
    EXPECT_EQ(r.loop_load(), 0);
    EXPECT_EQ(r.bytes_per_stream(), 0);
}

TEST(format_bench_report, reports_what_was_measured_and_what_failed) {
    const auto text = format_bench_report(usual_report(), false);
    EXPECT_THAT(text, HasSubstr("4 conversations at once, closed loop\n"));
    EXPECT_THAT(text, HasSubstr("speak, partial transcripts every 250 ms, 30 % revised\n"));
    EXPECT_THAT(text, HasSubstr("no voice, pacing warm\n"));
    EXPECT_THAT(text, HasSubstr("10 replies in 5.0 s: 8 complete, 2 failed\n"));
    EXPECT_THAT(text, HasSubstr("       2  queue_full\n"));
    EXPECT_THAT(text, HasSubstr("20.0 µs a token"));
    EXPECT_THAT(text, HasSubstr("512 KiB a stream of 4 at once"));
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
}

TEST(format_bench_report, reports_what_was_done_while_users_spoke) {
    auto r = usual_report();
    EXPECT_THAT(format_bench_report(r, false), Not(HasSubstr("drafts")));
    r.figures.prefilled = 50;
    r.figures.drafted = 11;
    r.figures.draft_wasted = 7;
    EXPECT_THAT(format_bench_report(r, false),
                HasSubstr("\n  heard early   50 tokens evaluated\n"
                          "  drafts        11 tokens used, 7 wasted\n"));
}

TEST(format_bench_report, has_a_row_for_what_was_measured_only) {
    const auto text = format_bench_report(usual_report(), false);
    EXPECT_THAT(text, HasSubstr("\n  first token"));
    EXPECT_THAT(text, Not(HasSubstr("cut to close")));
    EXPECT_THAT(text, Not(HasSubstr("begun late")));
}

TEST(format_bench_report, keeps_its_columns) {
    ASSERT_TRUE(std::setlocale(LC_CTYPE, "C.UTF-8"));
    auto r = usual_report();
    r.setting.rate = 2;
    for (auto* f : {&r.figures.late, &r.figures.gap, &r.figures.guard_wait})
        *f = {1'000'000, 0.001, 123.4, 999.9, 3'599'999};
    std::istringstream lines(format_bench_report(r, false));
    int rows = 0;
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(count_columns(line), 80) << line;
        if (!line.ends_with("1000000")) continue;
        ++rows;
        EXPECT_EQ(count_columns(line), 71) << line;
    }
    EXPECT_EQ(rows, 3);
}

TEST(bench_json, is_one_object_in_one_line) {
    const auto text = bench_json(usual_report());
    EXPECT_EQ(text.find('\n'), text.size() - 1);
    const auto o = json::parse(text);
    EXPECT_EQ(o["event"], "bench");
    EXPECT_EQ(o["setting"]["servers"][0]["url"], "http://a:1");
    EXPECT_EQ(o["setting"]["partials_ms"], 250);
    EXPECT_TRUE(o["setting"]["eager_ms"].is_null());
    EXPECT_EQ(o["setting"]["revise"], 0.3);
    EXPECT_EQ(o["errors"]["queue_full"], 2);
    EXPECT_EQ(o["first_token_ms"]["p99"], 25);
    EXPECT_EQ(o["cpu_us_per_token"], 20);
}

TEST(bench_json, has_null_for_what_was_not_measured) {
    const auto o = json::parse(bench_json(usual_report()));
    EXPECT_TRUE(o["gap_ms"]["p50"].is_null());
    EXPECT_TRUE(o["setting"]["rate"].is_null());
}

}  // namespace
