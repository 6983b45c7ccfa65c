#include "run/latency_histogram.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace {

using namespace std::chrono_literals;
using tandem::command::latency_histogram;

constexpr double accuracy = 0.0101;

TEST(latency_histogram, of_none_have_no_figures) {
    const auto f = latency_histogram().figures();
    EXPECT_EQ(f.count, 0);
    EXPECT_EQ(f.p50, -1);
    EXPECT_EQ(f.max, -1);
}

TEST(latency_histogram, rank_times_to_one_percent) {
    latency_histogram times;
    for (int i = 1; i <= 1000; ++i) times.add(i * 1ms);
    const auto f = times.figures();
    EXPECT_EQ(f.count, 1000);
    EXPECT_NEAR(f.p50, 500, 500 * accuracy);
    EXPECT_NEAR(f.p90, 900, 900 * accuracy);
    EXPECT_NEAR(f.p99, 990, 990 * accuracy);
    EXPECT_EQ(f.max, 1000);
}

TEST(latency_histogram, tell_any_percentile) {
    latency_histogram times;
    EXPECT_EQ(times.percentile(0.95), -1);
    for (int i = 1; i <= 100; ++i) times.add_ms(i);
    EXPECT_NEAR(times.percentile(0.95), 95, 95 * accuracy);
}

TEST(latency_histogram, are_never_told_shorter_than_they_are) {
    latency_histogram times;
    for (int i = 0; i < 9; ++i) times.add(40us);
    times.add(1s);
    EXPECT_GE(times.figures().p50, 0.040);
    EXPECT_LE(times.figures().p50, 0.040 * (1 + accuracy));
}

TEST(latency_histogram, have_no_percentile_beyond_the_greatest) {
    latency_histogram times;
    times.add(1234567ns);
    const auto f = times.figures();
    EXPECT_EQ(f.p50, f.max);
    EXPECT_DOUBLE_EQ(f.max, 1.234567);
}

TEST(latency_histogram, report_what_is_too_short_to_bin_by_the_shortest_bin) {
    latency_histogram times;
    times.add(10ns);
    times.add(1ms);
    EXPECT_DOUBLE_EQ(times.figures().p50, 1e-3);
}

TEST(latency_histogram, below_zero_count_as_none) {
    latency_histogram times;
    times.add(-5ms);
    EXPECT_EQ(times.figures().max, 0);
    EXPECT_EQ(times.figures().p50, 0);
}

TEST(latency_histogram, beyond_an_hour_are_reported_by_the_greatest) {
    latency_histogram times;
    times.add(2h);
    times.add(3h);
    EXPECT_EQ(times.figures().p50, 3 * 3.6e6);
}

TEST(latency_histogram, take_bounded_memory) {
    EXPECT_LT(latency_histogram::memory_bytes(), 20'000u);
}

}  // namespace
