#include "bench/capacity_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace {

using namespace std::chrono_literals;
using tandem::command::capacity_report;
using tandem::command::capacity_step;

TEST(capacity_step, holds_if_it_is_within_each_limit) {
    const capacity_step step{.first_chunk_p95 = 1000, .gap_p99 = 100, .first_chunks = 1};
    EXPECT_EQ(step.describe_exceeded({}), "");
}

TEST(capacity_step, does_not_hold_if_nothing_was_measured) {
    EXPECT_EQ(capacity_step{}.describe_exceeded({}), "no first chunk");
}

TEST(capacity_step, has_enough_first_chunks_after_one_from_each_caller_or_twenty) {
    EXPECT_FALSE((capacity_step{.callers = 4, .first_chunks = 3}.has_enough_first_chunks()));
    EXPECT_TRUE((capacity_step{.callers = 4, .first_chunks = 4}.has_enough_first_chunks()));
    EXPECT_TRUE((capacity_step{.callers = 64, .first_chunks = 20}.has_enough_first_chunks()));
}

TEST(capacity_step, has_only_failures_if_turns_failed_and_nothing_came) {
    EXPECT_TRUE((capacity_step{.failed = 1}.has_only_failures()));
    EXPECT_FALSE((capacity_step{.failed = 1, .tokens = 9}.has_only_failures()));
    EXPECT_FALSE(capacity_step{}.has_only_failures());
}

TEST(capacity_step, names_each_limit_that_it_exceeds) {
    EXPECT_EQ((capacity_step{.first_chunk_p95 = 1001, .first_chunks = 1}.describe_exceeded({})),
              "first chunk");
    EXPECT_EQ((capacity_step{.gap_p99 = 101, .first_chunks = 1}.describe_exceeded({})), "gap");
    EXPECT_EQ((capacity_step{.first_chunks = 1, .failed = 1}.describe_exceeded({})), "failed");
    const capacity_step all{.first_chunk_p95 = 9, .gap_p99 = 9, .first_chunks = 1, .failed = 1};
    EXPECT_EQ(all.describe_exceeded({.first_chunk = 8ms, .gap = 8ms}), "first chunk, gap, failed");
}

TEST(capacity_step, of_no_time_makes_no_tokens) {
    EXPECT_EQ(capacity_step{}.tokens_per_second(), 0);
}

TEST(capacity_report, takes_the_most_tokens_that_a_step_saw) {
    const capacity_report r{.steps = {{.tokens = 100, .seconds = 10},
                                      {.tokens = 3200, .seconds = 10},
                                      {.tokens = 3000, .seconds = 10}}};
    EXPECT_DOUBLE_EQ(r.tokens_per_second(), 320);
}

TEST(capacity_report, divides_the_tokens_of_the_server_by_those_of_a_listener) {
    const capacity_report r{.steps = {{.tokens = 100, .seconds = 10, .speech_seconds = 25},
                                      {.tokens = 3200, .seconds = 10, .speech_seconds = 800}}};
    EXPECT_DOUBLE_EQ(r.listener_tokens_per_second(), 4);
    EXPECT_DOUBLE_EQ(r.callers_by_arithmetic(), 80);
}

TEST(capacity_report, of_no_steps_has_no_limit) {
    const capacity_report r;
    EXPECT_EQ(r.tokens_per_second(), 0);
    EXPECT_EQ(r.listener_tokens_per_second(), 0);
    EXPECT_EQ(r.callers_by_arithmetic(), 0);
}

}  // namespace
