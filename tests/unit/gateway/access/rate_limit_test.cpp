#include "gateway/access/rate_limit.hpp"

#include "support/at.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <optional>

namespace {

using namespace std::chrono_literals;
using tandem::time_point;
using tandem::gateway::rate_limit;
using tandem::gateway::retry_after;
using tandem::test::at;

// Takes the amount, or returns how long to wait for it.
std::optional<tandem::duration> take(rate_limit& limit, time_point now, std::int64_t amount = 1) {
    const auto wait = limit.time_until_allowed(now, amount);
    if (!wait) limit.charge(now, amount);
    return wait;
}

// How many of `tries` calls of take() succeed at time `now`.
int takings(rate_limit& limit, time_point now, int tries = 1000) {
    int allowed = 0;
    for (int i = 0; i < tries; ++i) allowed += !take(limit, now);
    return allowed;
}

TEST(rate_limit, lets_a_burst_of_a_minute_through) {
    rate_limit limit(60);
    EXPECT_EQ(takings(limit, at(0s)), 60);
}

TEST(rate_limit, gives_back_evenly) {
    rate_limit limit(60);
    takings(limit, at(0s));
    EXPECT_EQ(takings(limit, at(999ms)), 0);
    EXPECT_EQ(takings(limit, at(1s)), 1);
    EXPECT_EQ(takings(limit, at(11s)), 10);
}

TEST(rate_limit, holds_no_more_than_a_minutes_worth) {
    rate_limit limit(60);
    takings(limit, at(0s));
    EXPECT_EQ(takings(limit, at(24h)), 60);
}

TEST(rate_limit, reports_how_long_to_wait) {
    rate_limit limit(60);
    takings(limit, at(0s));
    EXPECT_EQ(take(limit, at(400ms)), 600ms);
    EXPECT_EQ(limit.time_until_allowed(at(0s), 30), 30s);
    EXPECT_FALSE(take(limit, at(30s), 30));
}

TEST(rate_limit, takes_nothing_if_it_refuses) {
    rate_limit limit(60);
    takings(limit, at(0s), 50);
    EXPECT_TRUE(take(limit, at(0s), 11));
    EXPECT_FALSE(take(limit, at(0s), 10));
}

TEST(rate_limit, allows_more_than_a_minutes_worth_of_a_full_bucket_and_leaves_a_debt) {
    rate_limit limit(60);
    EXPECT_FALSE(take(limit, at(0s), 120));
    EXPECT_EQ(take(limit, at(0s)), 61s);
    EXPECT_TRUE(take(limit, at(119s), 120)) << "one token is missing";
    EXPECT_FALSE(take(limit, at(120s), 120));
}

TEST(rate_limit, has_no_bound_of_zero) {
    for (const auto per_minute : {0, -1}) {
        rate_limit limit(per_minute);
        EXPECT_EQ(takings(limit, at(0s)), 1000);
        limit.charge(at(0s), 1'000'000);
        EXPECT_FALSE(limit.time_until_allowed(at(0s)));
    }
}

TEST(rate_limit, charges_what_was_used_afterwards) {
    rate_limit limit(600);
    limit.charge(at(0s), 900);
    EXPECT_EQ(limit.time_until_allowed(at(0s), 0), 30s);
    EXPECT_FALSE(limit.time_until_allowed(at(30s), 0));
}

TEST(rate_limit, has_no_debt_over_a_day) {
    rate_limit limit(1);
    for (int i = 0; i < 10; ++i) limit.charge(at(0s), std::numeric_limits<std::int64_t>::max());
    EXPECT_LE(*limit.time_until_allowed(at(0s)), 24h);
    EXPECT_FALSE(limit.time_until_allowed(at(25h)));
}

TEST(rate_limit, takes_no_amount_below_zero_as_a_gift) {
    rate_limit limit(60);
    takings(limit, at(0s));
    limit.charge(at(0s), -1000);
    EXPECT_EQ(takings(limit, at(0s)), 0);
}

TEST(rate_limit, gives_nothing_while_the_clock_stands_still) {
    rate_limit limit(60);
    EXPECT_EQ(takings(limit, at(0s)), 60);
    EXPECT_EQ(takings(limit, at(0s)), 0);
}

TEST(rate_limit, gives_nothing_twice_if_the_clock_goes_back) {
    rate_limit limit(60);
    takings(limit, at(10s));
    EXPECT_EQ(take(limit, at(5s)), 1s) << "the wait is no longer than before";
    EXPECT_EQ(takings(limit, at(10s)), 0);
    EXPECT_EQ(takings(limit, at(11s)), 1);
    EXPECT_EQ(takings(limit, time_point::min() + 48h), 0);
}

TEST(rate_limit, works_at_the_first_time_there_is) {
    rate_limit limit(60);
    EXPECT_EQ(takings(limit, time_point{}), 60);
    EXPECT_EQ(takings(limit, time_point(1s)), 1);
}

TEST(rate_limit, keeps_the_share_that_was_taken_if_the_bound_changes) {
    rate_limit limit(60);
    takings(limit, at(0s), 30);
    limit.set_per_minute(600);
    EXPECT_EQ(takings(limit, at(0s)), 300);
}

TEST(rate_limit, reports_how_long_until_it_is_full) {
    rate_limit limit(60);
    EXPECT_EQ(limit.time_until_full(at(0s)), 0s);
    limit.charge(at(0s), 90);
    EXPECT_EQ(limit.time_until_full(at(0s)), 90s);
    EXPECT_EQ(limit.time_until_full(at(80s)), 10s);
    EXPECT_EQ(limit.time_until_full(at(91s)), 0s);
}

TEST(rate_limit, takes_over_what_is_known_elsewhere) {
    rate_limit limit(60);
    takings(limit, at(0s));
    limit.set_time_until_full(at(0s), 55s);
    EXPECT_EQ(takings(limit, at(0s)), 5);
    limit.set_time_until_full(at(0s), 62s);
    EXPECT_EQ(limit.time_until_allowed(at(0s)), 3s);
    limit.set_time_until_full(at(0s), tandem::duration::max());
    EXPECT_EQ(limit.time_until_full(at(0s)), 24h);
}

TEST(rate_limit, is_exact_over_many_small_steps) {
    rate_limit limit(7);
    takings(limit, at(0s));
    int allowed = 0;
    for (int ms = 1; ms <= 600'000; ms += 10) allowed += takings(limit, at(ms * 1ms), 1);
    EXPECT_GE(allowed, 69);
    EXPECT_LE(allowed, 70) << "7 a minute in 10 minutes";
}

TEST(retry_after, is_whole_seconds_rounded_up_and_at_least_one) {
    EXPECT_EQ(retry_after(0ns), 1s);
    EXPECT_EQ(retry_after(-5s), 1s);
    EXPECT_EQ(retry_after(1ns), 1s);
    EXPECT_EQ(retry_after(1s), 1s);
    EXPECT_EQ(retry_after(1s + 1ns), 2s);
    EXPECT_EQ(retry_after(61'200ms), 62s);
}

}  // namespace
