#include "bench/bench_totals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <utility>

namespace {

using namespace std::chrono_literals;
using tandem::finish_reason;
using tandem::reply_result;
using tandem::timeline_event;
using tandem::command::bench_totals;
using tandem::command::turn_times;
using testing::ElementsAre;
using testing::Pair;
using kind = timeline_event::kind;

constexpr double one_percent = 0.0101;
const turn_times::time_point start{100s};

reply_result ended(finish_reason reason = finish_reason::eos) {
    reply_result r;
    r.finish_reason = reason;
    if (reason == finish_reason::error) r.error = tandem::errc::connect_failed;
    return r;
}

timeline_event event_at(std::chrono::nanoseconds at, kind what, int chunk = -1) {
    return {.what = what, .at_ns = at.count(), .slot = 1, .chunk = chunk, .server = 0};
}

TEST(bench_totals, count_each_reply_once_by_its_end) {
    bench_totals totals;
    for (const auto reason : {finish_reason::eos, finish_reason::length, finish_reason::error,
                              finish_reason::interrupted})
        totals.add({}, ended(reason), false);
    totals.add({}, ended(finish_reason::interrupted), true);
    const auto f = totals.figures();
    EXPECT_EQ(f.replies, 5);
    EXPECT_EQ(f.complete, 2);
    EXPECT_EQ(f.failed, 1);
    EXPECT_EQ(f.interrupted, 1);
    EXPECT_EQ(f.stopped, 1);
}

TEST(bench_totals, count_errors_by_their_codes) {
    bench_totals totals;
    totals.add({}, ended(finish_reason::error), false);
    totals.add({}, ended(finish_reason::error), false);
    EXPECT_THAT(totals.figures().errors, ElementsAre(Pair("connect_failed", 2)));
}

TEST(bench_totals, measure_from_when_a_turn_was_due) {
    auto r = ended();
    r.timeline = {event_at(50ms, kind::first_token), event_at(900ms, kind::first_token)};
    turn_times t{.due = start, .began = start + 10ms};
    t.add_chunk(start + 80ms);
    bench_totals totals;
    totals.add(t, r, false);
    const auto f = totals.figures();
    EXPECT_EQ(f.late.max, 10);
    EXPECT_EQ(f.first_token.max, 60);
    EXPECT_EQ(f.first_chunk.max, 80);
    EXPECT_EQ(f.first_token.count, 1);
}

TEST(bench_totals, count_the_first_chunk_of_a_draft_as_its_first_token) {
    auto r = ended();
    r.usage.drafted = 5;
    r.timeline = {event_at(1ms, kind::chunk), event_at(50ms, kind::first_token)};
    bench_totals totals;
    totals.add({.due = start, .began = start}, r, false);
    EXPECT_EQ(totals.figures().first_token.max, 1);
}

TEST(bench_totals, measure_a_gap_from_the_end_of_the_voice_to_the_next_chunk) {
    turn_times t{.due = start, .began = start};
    t.add_chunk(start);
    t.chunks[0].continued = start + 2s;
    t.add_chunk(start + 2300ms);
    bench_totals totals;
    totals.add(t, ended(), false);
    EXPECT_EQ(totals.figures().gap.count, 1);
    EXPECT_EQ(totals.figures().gap.max, 300);
}

TEST(bench_totals, measure_the_hand_over_from_the_token_that_decided) {
    auto r = ended();
    r.timeline = {event_at(40ms, kind::chunk, 0), event_at(70ms, kind::chunk, 1)};
    turn_times t{.due = start, .began = start};
    t.add_chunk(start + 41ms);
    t.add_chunk(start + 73ms);
    bench_totals totals;
    totals.add(t, r, false);
    EXPECT_EQ(totals.figures().hand_over.count, 2);
    EXPECT_EQ(totals.figures().hand_over.max, 3);
}

TEST(bench_totals, know_by_the_quickest_continue_how_late_the_time_line_began) {
    auto r = ended();
    r.timeline = {event_at(40ms, kind::chunk, 0), event_at(45ms, kind::continued, 0),
                  event_at(70ms, kind::chunk, 1), event_at(71ms, kind::continued, 1)};
    turn_times t{.due = start, .began = start};
    t.add_chunk(start + 47ms);
    t.chunks[0].continued = start + 48ms;  // the timeline began at 3 ms or later
    t.add_chunk(start + 76ms);
    t.chunks[1].continued = start + 76ms;  // the timeline began at 5 ms or later
    bench_totals totals;
    totals.add(t, r, false);
    EXPECT_EQ(totals.figures().hand_over.max, 2);
}

TEST(bench_totals, report_the_wait_for_a_slot_without_that_for_its_guard) {
    auto r = ended();
    r.metrics.requests = 1;
    r.metrics.slot_wait_ms = 50;
    r.metrics.guard_wait_ms = 30;
    bench_totals totals;
    totals.add({}, r, false);
    EXPECT_EQ(totals.figures().queue_wait.max, 20);
    EXPECT_EQ(totals.figures().guard_wait.max, 30);
}

TEST(bench_totals, know_no_waits_of_a_reply_that_sent_nothing) {
    bench_totals totals;
    totals.add({}, ended(finish_reason::error), false);
    EXPECT_EQ(totals.figures().queue_wait.count, 0);
}

// A reply on slot 1 that was cut at `at`.
reply_result cut_at(std::chrono::nanoseconds at) {
    auto r = ended();
    r.servers = {"http://a"};
    r.timeline = {event_at(at, kind::cut)};
    return r;
}

TEST(bench_totals, find_each_cut_in_the_life_of_a_request_that_its_server_saw) {
    bench_totals totals;
    totals.add({.due = start, .began = start}, cut_at(500ms), false);
    totals.add_cut_latencies({{"http://a", 1, start, start + 100ms},
                              {"http://a", 0, start + 400ms, start + 600ms},
                              {"http://b", 1, start + 400ms, start + 600ms},
                              {"http://a", 1, start + 400ms, start + 502ms},
                              {"http://a", 1, start + 600ms, start + 700ms}});
    EXPECT_EQ(totals.figures().cut_to_close.count, 1);
    EXPECT_EQ(totals.figures().cut_to_close.max, 2);
}

TEST(bench_totals, leave_out_cuts_that_no_server_reports) {
    bench_totals totals;
    totals.add({.due = start, .began = start}, cut_at(500ms), false);
    totals.add_cut_latencies({});
    EXPECT_EQ(totals.figures().cut_to_close.count, 0);
}

TEST(bench_totals, keep_the_latest_cuts_only) {
    bench_totals totals;
    const turn_times t{.due = start, .began = start};
    totals.add(t, cut_at(1ms), false);
    for (std::size_t i = 0; i < bench_totals::max_cuts; ++i) totals.add(t, cut_at(9ms), false);
    totals.add_cut_latencies({{"http://a", 1, start, start + 5ms}});
    EXPECT_EQ(totals.figures().cut_to_close.count, 0);
}

TEST(bench_totals, keep_the_times_of_a_bounded_number_of_chunks) {
    turn_times t;
    for (std::size_t i = 0; i < turn_times::max_chunks + 5; ++i) t.add_chunk(start);
    EXPECT_EQ(t.chunks.size(), turn_times::max_chunks);
}

}  // namespace
