#include "server/circuit_breaker.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::time_point;
using tandem::detail::circuit_breaker;

constexpr time_point start{1h};

circuit_breaker opened(int failures = 3) {
    circuit_breaker b(failures, 1s);
    for (int i = 0; i < failures; ++i) b.record_failure(start, start);
    return b;
}

TEST(circuit_breaker, opens_after_so_many_failures_in_a_row) {
    circuit_breaker b(3, 1s);
    EXPECT_FALSE(b.record_failure(start, start));
    EXPECT_FALSE(b.record_failure(start, start));
    EXPECT_TRUE(b.allows(start));
    EXPECT_TRUE(b.record_failure(start, start));
    EXPECT_FALSE(b.allows(start + 999ms));
    EXPECT_TRUE(b.allows(start + 1s));
}

TEST(circuit_breaker, counts_again_after_a_success) {
    circuit_breaker b(2, 1s);
    b.record_failure(start, start);
    EXPECT_FALSE(b.record_success());
    EXPECT_FALSE(b.record_failure(start, start));
    EXPECT_TRUE(b.allows(start));
}

TEST(circuit_breaker, lets_one_request_through_after_the_pause) {
    auto b = opened();
    b.record_request(start + 1s);
    EXPECT_FALSE(b.allows(start + 1s));
    EXPECT_TRUE(b.record_success());
    EXPECT_TRUE(b.allows(start + 1s));
}

TEST(circuit_breaker, pauses_again_as_long_after_each_try) {
    auto b = opened();
    auto now = start;
    for (int i = 0; i < 5; ++i) {
        EXPECT_FALSE(b.allows(now + 999ms)) << i;
        now += 1s;
        EXPECT_TRUE(b.allows(now)) << i;
        b.record_request(now);
        EXPECT_FALSE(b.record_failure(now, now));
    }
}

TEST(circuit_breaker, is_not_kept_open_by_requests_that_did_not_ask) {
    auto b = opened();
    for (int i = 1; i < 9; ++i)
        EXPECT_FALSE(b.record_failure(start + 100ms * i, start + 100ms * i));
    EXPECT_TRUE(b.allows(start + 1s));
}

TEST(circuit_breaker, is_not_kept_open_by_a_request_that_was_sent_before_the_try) {
    auto b = opened();
    b.record_request(start + 1s);
    EXPECT_FALSE(b.record_failure(start + 1900ms, start + 900ms));
    EXPECT_TRUE(b.allows(start + 2s));
}

TEST(circuit_breaker, learns_nothing_from_requests_that_were_on_their_way) {
    auto b = opened();
    EXPECT_FALSE(b.record_failure(start + 900ms, start - 1ms));
    EXPECT_TRUE(b.allows(start + 1s));
}

TEST(circuit_breaker, counts_requests_that_one_death_broke_off_once) {
    circuit_breaker b(3, 1s);
    for (int i = 0; i < 10; ++i) b.record_failure(start + 1ms * i, start - 1s);
    EXPECT_EQ(b.failures(), 1);
    EXPECT_TRUE(b.allows(start + 10ms));
}

TEST(circuit_breaker, tries_again_at_once_if_the_try_did_not_reach_the_server) {
    auto b = opened();
    b.record_request(start + 1s);
    b.on_unreachable(start + 1100ms);
    EXPECT_TRUE(b.allows(start + 1100ms));
}

TEST(circuit_breaker, lets_another_through_if_the_try_never_ended) {
    auto b = opened();
    b.record_request(start + 1s);
    EXPECT_TRUE(b.allows(start + 2s));
}

TEST(circuit_breaker, never_opens_with_no_failures_set) {
    circuit_breaker b(0, 1s);
    for (int i = 0; i < 100; ++i) b.record_failure(start + 1s * i, start + 1s * i);
    EXPECT_TRUE(b.allows(start));
}

}  // namespace
