#include "bench/arrival_schedule.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::command::arrival_distribution;
using tandem::command::arrival_schedule;
using tandem::command::load_profile;
using testing::ElementsAre;
using testing::SizeIs;

// The due times of all turns, all requested at time 0.
std::vector<duration> dues_of(load_profile rules) {
    arrival_schedule plan(rules);
    std::vector<duration> dues;
    while (const auto due = plan.take_next_start({})) dues.push_back(*due);
    return dues;
}

TEST(arrival_schedule, of_a_closed_loop_begins_turns_when_they_are_asked_for) {
    arrival_schedule plan({.time = 1s});
    EXPECT_EQ(plan.take_next_start(0s), 0s);
    EXPECT_EQ(plan.take_next_start(700ms), 700ms);
    EXPECT_EQ(plan.take_next_start(1s), std::nullopt);
}

TEST(arrival_schedule, ends_with_the_last_turn) {
    EXPECT_THAT(dues_of({.turns = 3}), SizeIs(3));
    EXPECT_THAT(dues_of({.rate = 10, .turns = 3, .time = 1h}), SizeIs(3));
}

TEST(arrival_schedule, spreads_turns_evenly) {
    const load_profile rules{.rate = 4, .spread = arrival_distribution::even, .time = 1s};
    EXPECT_THAT(dues_of(rules), ElementsAre(0s, 250ms, 500ms, 750ms));
}

TEST(arrival_schedule, reports_a_turn_that_is_late_when_it_was_due) {
    arrival_schedule plan({.rate = 4, .spread = arrival_distribution::even, .time = 1s});
    EXPECT_EQ(plan.take_next_start(900ms), 0s);
    EXPECT_EQ(plan.take_next_start(950ms), 250ms);
}

TEST(arrival_schedule, begins_no_turn_after_its_time_and_counts_those_that_were_due) {
    arrival_schedule plan({.rate = 4, .spread = arrival_distribution::even, .time = 1s});
    EXPECT_EQ(plan.take_next_start(0s), 0s);
    EXPECT_EQ(plan.take_next_start(1s), std::nullopt);
    EXPECT_EQ(plan.count_missed(1s), 3);
    EXPECT_EQ(plan.count_missed(1s), 0);
}

TEST(arrival_schedule, misses_nothing_that_was_due_after_it_was_stopped) {
    arrival_schedule plan({.rate = 4, .spread = arrival_distribution::even, .time = 1h});
    EXPECT_EQ(plan.take_next_start(0s), 0s);
    EXPECT_EQ(plan.count_missed(600ms), 2);
}

TEST(arrival_schedule, misses_nothing_in_a_closed_loop) {
    arrival_schedule plan({.time = 1s});
    EXPECT_EQ(plan.take_next_start(1s), std::nullopt);
    EXPECT_EQ(plan.count_missed(1s), 0);
}

TEST(arrival_schedule, makes_as_many_turns_by_chance_as_the_rate_says) {
    const auto count = static_cast<double>(dues_of({.rate = 100, .time = 100s}).size());
    // The number of turns has a mean of 10,000 and a standard deviation of 100.
    EXPECT_NEAR(count, 10'000, 400);
}

TEST(arrival_schedule, leaves_gaps_by_chance_that_have_no_memory) {
    const auto dues = dues_of({.rate = 10, .time = 1000s});
    double short_ones = 0;
    for (std::size_t i = 1; i < dues.size(); ++i)
        if (dues[i] - dues[i - 1] < 100ms) ++short_ones;
    // 1 - 1/e of all gaps are shorter than the mean.
    EXPECT_NEAR(short_ones / static_cast<double>(dues.size()), 0.632, 0.02);
}

TEST(arrival_schedule, is_the_same_each_time) {
    const load_profile rules{.rate = 7, .time = 10s};
    EXPECT_EQ(dues_of(rules), dues_of(rules));
}

}  // namespace
