#include "bench/bench_totals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace {

using namespace std::chrono_literals;
using tandem::command::capacity_totals;
using tandem::command::turn_times;

const turn_times::time_point begin{100s};
const auto half = begin + 10s;
const auto end = begin + 20s;

// A turn that was due at `due`. At each time in `chunks`, a chunk of 7 tokens and 2 s of speech
// arrives.
turn_times turn_with(turn_times::time_point due,
                     std::initializer_list<turn_times::time_point> chunks) {
    turn_times t{.due = due, .began = due};
    for (const auto arrived : chunks) {
        t.add_chunk(arrived, 7, 2s);
        t.chunks.back().continued = arrived + 2s;
    }
    return t;
}

// The turn before the continue of its last chunk, which is still being spoken.
turn_times speaking(turn_times t) {
    t.chunks.back().continued = t.chunks.back().arrived;
    return t;
}

TEST(capacity_totals, count_a_wait_when_it_ends) {
    capacity_totals totals(half);
    totals.add_ended(turn_with(half - 1s, {half + 500ms, half + 3s}), false, half + 5s);
    const auto step = totals.result(4, end);
    EXPECT_EQ(step.callers, 4);
    EXPECT_EQ(step.first_chunk_p95, 1500);
    EXPECT_EQ(step.gap_p99, 500);
}

TEST(capacity_totals, leave_out_the_first_half) {
    capacity_totals totals(half);
    totals.add_ended(turn_with(begin, {begin + 5s}), false, half - 1s);
    totals.add_ended(turn_with(begin, {}), true, half - 1s);
    totals.add_running(speaking(turn_with(begin, {half - 1ms})), end);
    const auto step = totals.result(1, end);
    EXPECT_EQ(step.first_chunk_p95, -1);
    EXPECT_EQ(step.gap_p99, -1);
    EXPECT_EQ(step.failed, 0);
    EXPECT_EQ(step.tokens, 0);
}

TEST(capacity_totals, count_a_wait_that_has_not_ended_with_its_age) {
    capacity_totals totals(half);
    totals.add_running(turn_with(end - 3s, {}), end);
    totals.add_running(turn_with(end - 5s, {end - 4s}), end);
    const auto step = totals.result(2, end);
    EXPECT_EQ(step.first_chunk_p95, 3000);
    EXPECT_EQ(step.gap_p99, 2000);
}

TEST(capacity_totals, count_no_gap_while_a_chunk_is_being_spoken) {
    capacity_totals totals(half);
    totals.add_running(speaking(turn_with(begin, {end - 1s})), end);
    EXPECT_EQ(totals.result(1, end).gap_p99, -1);
}

TEST(capacity_totals, count_no_gap_after_the_last_chunk_of_a_reply) {
    capacity_totals totals(half);
    totals.add_ended(turn_with(begin, {half}), false, half + 9s);
    EXPECT_EQ(totals.result(1, end).gap_p99, -1);
}

TEST(capacity_totals, count_the_wait_of_a_listener_who_gave_up) {
    capacity_totals totals(half);
    totals.add_ended(turn_with(half, {}), false, half + 6s);
    EXPECT_EQ(totals.result(1, end).first_chunk_p95, 6000);
}

TEST(capacity_totals, take_the_percentile_of_all_callers) {
    capacity_totals totals(half);
    for (int i = 1; i <= 100; ++i)
        totals.add_running(speaking(turn_with(half, {half + i * 10ms})), end);
    EXPECT_NEAR(totals.result(100, end).first_chunk_p95, 950, 10);
}

TEST(capacity_totals, count_failed_replies) {
    capacity_totals totals(half);
    totals.add_ended(turn_with(half, {half}), true, half + 1s);
    EXPECT_EQ(totals.result(1, end).failed, 1);
}

TEST(capacity_totals, count_the_tokens_that_came_and_how_long_they_are_spoken) {
    capacity_totals totals(half);
    totals.add_running(speaking(turn_with(begin, {half - 1s, half + 1s, half + 3s})), end);
    const auto step = totals.result(1, end);
    EXPECT_EQ(step.tokens, 14);
    EXPECT_DOUBLE_EQ(step.tokens_per_second(), 1.4);
    EXPECT_DOUBLE_EQ(step.speech_seconds, 4);
}

}  // namespace
