// How many requests should run at once, as learned from their speed.

#include "slots/concurrency_limit.hpp"

#include "slots/slot_scheduler.hpp"
#include "support/at.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::slots::concurrency_limit;
using tandem::slots::generated_so_far;
using tandem::slots::slot_scheduler;
using tandem::test::at;

duration of_seconds(double s) {
    return std::chrono::duration_cast<duration>(std::chrono::duration<double>(s));
}

/// The progress of a request that nothing holds up.
generated_so_far steady(int tokens, duration time) {
    return {tokens, time, tokens, time};
}

/// A request of 40 tokens.
void see(concurrency_limit& limit, int running, double tokens_per_s, tandem::time_point when) {
    limit.record_speed(running, steady(40, of_seconds(40 / tokens_per_s)), when);
}

/// The limit after 1 to `most` requests ran concurrently, each at this speed.
int limit_of(int most, const std::function<double(int running)>& tokens_per_s) {
    concurrency_limit limit;
    for (int running = 1; running <= most; ++running)
        for (int request = 0; request < 10; ++request)
            see(limit, running, tokens_per_s(running), at(0s));
    return limit.find_limit(at(0s));
}

TEST(concurrency_limit, knows_the_speed_of_very_long_requests) {
    concurrency_limit limit;
    for (int request = 0; request < 10; ++request)
        limit.record_speed(1, steady(200'000, 1000s), at(0s));
    EXPECT_NEAR(limit.find_tokens_per_s(1, at(0s)).value_or(0), 200, 1);
}

TEST(concurrency_limit, is_none_before_anything_was_seen) {
    EXPECT_EQ(concurrency_limit().find_limit(at(0s)), concurrency_limit::unlimited);
}

TEST(concurrency_limit, grows_on_a_server_whose_requests_do_not_slow_each_other_down) {
    for (const int most : {4, 8, 16, 32})
        EXPECT_NEAR(limit_of(most, [](int) { return 40; }), 2 * most, 2) << most;
}

TEST(concurrency_limit, is_at_least_eight_until_more_were_seen_to_be_useless) {
    EXPECT_EQ(limit_of(2, [](int) { return 40; }), 8);
}

TEST(concurrency_limit, is_the_number_that_makes_all_that_the_server_can_make) {
    EXPECT_EQ(limit_of(16, [](int n) { return std::min(80.0, 320.0 / n); }), 4);
}

TEST(concurrency_limit, lets_two_run_if_one_already_makes_all) {
    EXPECT_EQ(limit_of(8, [](int n) { return 588.0 / n; }), 2);
}

TEST(concurrency_limit, ignores_tokens_that_arrive_together) {
    concurrency_limit limit;
    EXPECT_FALSE(limit.record_speed(4, steady(20, 1ms), at(0s)));
    EXPECT_TRUE(limit.record_speed(4, steady(20, 500ms), at(0s)));
}

// The more requests run, the longer prompts hold them up.
TEST(concurrency_limit, is_not_lowered_by_prompts_that_hold_up_requests) {
    concurrency_limit limit;
    for (int request = 0; request < 10; ++request) {
        limit.record_speed(6, {10, 300ms, 8, 200ms}, at(0s));
        limit.record_speed(8, {10, 450ms, 8, 200ms}, at(0s));
    }
    EXPECT_EQ(limit.find_limit(at(0s)), 2 * 8);
}

generated_so_far add_gaps(const std::vector<duration>& gaps) {
    generated_so_far sum;
    tandem::slots::token_gaps adder;
    for (const auto gap : gaps) adder.add(gap, sum);
    return sum;
}

TEST(token_gaps, leave_hold_ups_out_of_the_steady_time) {
    const auto sum = add_gaps({50ms, 50ms, 250ms, 50ms, 50ms, 50ms, 50ms, 50ms, 50ms});
    EXPECT_EQ(sum.tokens, 9);
    EXPECT_EQ(sum.time, 650ms);
    EXPECT_EQ(sum.steady_tokens, 8) << "whole groups of 8";
    EXPECT_EQ(sum.steady_time, 400ms) << "the long gap counts as any other";
}

TEST(token_gaps, leave_a_very_long_hold_up_out) {
    EXPECT_EQ(add_gaps({10ms, 10ms, 600ms, 10ms, 10ms, 10ms, 10ms, 10ms}).steady_time, 80ms);
}

TEST(token_gaps, are_steady_if_all_are_similar) {
    EXPECT_EQ(add_gaps({40ms, 60ms, 50ms, 40ms, 60ms, 50ms, 50ms, 50ms}).steady_time, 400ms);
}

TEST(token_gaps, are_steady_if_tokens_arrive_together) {
    EXPECT_EQ(add_gaps({0ms, 0ms, 0ms, 80ms, 0ms, 0ms, 0ms, 80ms}).steady_time, 160ms);
    EXPECT_EQ(add_gaps({1ms, 1ms, 27ms, 1ms, 1ms, 27ms, 1ms, 1ms}).steady_time, 60ms);
}

/// The limit after 6 requests ran at `tokens_per_s` each and, `ago` later, 8 and 16 requests ran at
/// 320 tokens/s in total.
int limit_by_what_fewer_made(duration ago, double tokens_per_s) {
    concurrency_limit limit;
    const auto now = at(60s);
    for (int request = 0; request < 10; ++request) {
        see(limit, 6, tokens_per_s, now - ago);
        see(limit, 8, 40, now);
        see(limit, 16, 20, now);
    }
    return limit.find_limit(now);
}

TEST(concurrency_limit, is_not_below_a_number_that_was_just_seen_to_make_less) {
    EXPECT_EQ(limit_by_what_fewer_made(1s, 40), 8);
}

TEST(concurrency_limit, tries_fewer_now_and_then) {
    EXPECT_EQ(limit_by_what_fewer_made(16s, 40), 6) << "8 / 1.25";
}

TEST(concurrency_limit, gives_a_trial_up_that_shows_nothing) {
    EXPECT_EQ(limit_by_what_fewer_made(21s, 40), 8);
    EXPECT_EQ(limit_by_what_fewer_made(36s, 40), 6) << "and tries again later";
}

/// The limit of a server that generates 300 tokens/s, some time after `running` requests ran.
int limit_after(const std::vector<int>& running, duration since) {
    concurrency_limit limit;
    for (const int n : running)
        for (int request = 0; request < 10; ++request)
            see(limit, n, std::min(75.0, 300.0 / n), at(0s));
    for (int request = 0; request < 10; ++request) see(limit, 3, 75, at(0s) + since);
    return limit.find_limit(at(0s) + since);
}

// If the average is slightly less than 5, the number to try, average / 1.25, must be 4, and not 3.
TEST(concurrency_limit, does_not_stay_below_a_number_that_it_tries) {
    for (auto since = 0s; since < 60s; ++since) EXPECT_GE(limit_after({5, 7}, since), 4);
}

TEST(concurrency_limit, tries_more_now_and_then) {
    EXPECT_EQ(limit_after({4, 6}, 59s), 4);
    EXPECT_EQ(limit_after({4, 6}, 61s), 6) << "4 * 1.4";
}

TEST(concurrency_limit, tries_fewer_until_one_of_them_was_seen) {
    concurrency_limit limit;
    for (int request = 0; request < 10; ++request) {
        see(limit, 7, 40, at(0s));
        see(limit, 6, 40, at(19s));
        see(limit, 8, 40, at(20s));
        see(limit, 16, 20, at(20s));
    }
    EXPECT_EQ(limit.find_limit(at(20s)), 8);
}

// A single request had the server to itself, until requests of unknown other processes arrived.
TEST(concurrency_limit, is_not_held_down_by_what_one_request_made_before) {
    concurrency_limit limit;
    for (int request = 0; request < 10; ++request) {
        see(limit, 1, 100, at(0s));
        for (const int running : {2, 3, 4}) see(limit, running, 10, at(60s));
    }
    EXPECT_EQ(limit.find_limit(at(60s)), 2 * 4);
}

TEST(concurrency_limit, ignores_tokens_without_a_time) {
    concurrency_limit limit;
    limit.record_speed(5, {16, 300ms, 8, 0ms}, at(0s));
    for (int request = 0; request < 10; ++request)
        for (const int running : {4, 5, 8}) see(limit, running, 40, at(0s));
    EXPECT_EQ(limit.find_limit(at(0s)), 2 * 8);
}

TEST(concurrency_limit, falls_to_a_smaller_number_that_makes_the_same) {
    EXPECT_LE(limit_by_what_fewer_made(1s, 53), 6);
}

TEST(concurrency_limit, ignores_what_was_seen_five_minutes_ago) {
    concurrency_limit limit;
    for (const int running : {3, 4, 16})
        for (int request = 0; request < 10; ++request)
            see(limit, running, std::min(80.0, 320.0 / running), at(0s));
    EXPECT_EQ(limit.find_limit(at(0s)), 4);
    EXPECT_LT(limit.find_limit(at(4min)), 16);
    EXPECT_EQ(limit.find_limit(at(6min)), concurrency_limit::unlimited);
}

TEST(concurrency_limit, starts_again_with_what_is_seen_after_five_minutes) {
    concurrency_limit limit;
    const auto see_ten = [&](int running, double tokens_per_s, tandem::time_point when) {
        for (int request = 0; request < 10; ++request) see(limit, running, tokens_per_s, when);
    };
    see_ten(4, 80, at(0s));
    see_ten(16, 20, at(0s));
    ASSERT_LE(limit.find_limit(at(0s)), 4);
    see_ten(4, 20, at(6min));
    see_ten(16, 20, at(6min));
    EXPECT_EQ(limit.find_limit(at(6min)), 2 * 16) << "each request now adds the same speed";
}

TEST(concurrency_limit, ignores_a_request_of_a_few_tokens) {
    concurrency_limit limit;
    for (const int running : {4, 16})
        for (int request = 0; request < 100; ++request)
            limit.record_speed(running, steady(3, 1s), at(0s));
    EXPECT_EQ(limit.find_limit(at(0s)), concurrency_limit::unlimited);
}

TEST(concurrency_limit, is_learned_while_more_and_more_requests_run) {
    concurrency_limit limit;
    for (int running = 2; running <= 40; ++running)
        for (int request = 0; request < 4; ++request)
            limit.record_speed(running, steady(10, of_seconds(10 * running / 320.0)), at(0s));
    EXPECT_LT(limit.find_limit(at(0s)), 10) << "similar numbers together have 80 tokens soon";
}

// --- tokens a second of all requests

TEST(concurrency_limit, knows_the_speed_of_all_slots_once_nearly_all_ran) {
    concurrency_limit limit;
    for (int request = 0; request < 10; ++request) see(limit, 6, 40, at(0s));
    EXPECT_FALSE(limit.find_tokens_per_s(8, at(0s))) << "8 may make more";
    for (int request = 0; request < 10; ++request) see(limit, 7, 40, at(0s));
    const auto speed = limit.find_tokens_per_s(8, at(0s));
    ASSERT_TRUE(speed);
    EXPECT_NEAR(*speed, 8 * 40, 1);
    EXPECT_FALSE(limit.find_tokens_per_s(8, at(6min))) << "the server may have changed";
}

TEST(concurrency_limit, is_not_misled_by_speeds_that_vary) {
    concurrency_limit limit;
    for (int request = 0; request < 4; ++request) {
        limit.record_speed(8, steady(10, 100ms), at(0s));
        limit.record_speed(8, steady(10, 400ms), at(0s));
    }
    ASSERT_TRUE(limit.find_tokens_per_s(8, at(0s)));
    EXPECT_NEAR(*limit.find_tokens_per_s(8, at(0s)), 8 * 40, 1) << "80 tokens in 2 s";
}

TEST(concurrency_limit, knows_the_speed_of_many_slots_that_share_a_machine_by_the_limit) {
    concurrency_limit limit;
    for (const int running : {3, 4, 16})
        for (int request = 0; request < 10; ++request)
            see(limit, running, std::min(80.0, 320.0 / running), at(0s));
    ASSERT_EQ(limit.find_limit(at(0s)), 4);
    EXPECT_NEAR(*limit.find_tokens_per_s(96, at(0s)), 320, 1);
}

/// Runs rounds of requests on a server with 8 slots that generates 160 tokens/s in total, and at
/// most 80 for one request.
void learn(slot_scheduler& s) {
    for (int round = 0; round < 40; ++round) {
        const int running = 1 + round % 8;
        const auto begin = at(round * 10s);
        std::vector<tandem::slots::ticket> tickets;
        for (int i = 0; i < running; ++i) tickets.push_back(s.request({.due = begin}));
        const auto given = s.take_grants(begin);
        for (const auto t : tickets) s.withdraw(t);
        const auto took = of_seconds(std::max(1.0, static_cast<double>(given.size()) / 2));
        for (const auto& g : given)
            s.release(g.slot, begin + took, {.generated = steady(80, took)});
    }
}

TEST(concurrency_limit, is_kept_by_the_scheduler) {
    slot_scheduler s(8, 0s);
    learn(s);
    ASSERT_EQ(s.max_running(), 2);
    const auto now = at(400s);
    for (int i = 0; i < 4; ++i) s.request({.due = now});
    EXPECT_EQ(s.take_grants(now).size(), 2u);
}

// The server generates 160 tokens/s in total, and at most 80 for one request.
TEST(concurrency_limit, is_learned_from_requests_that_still_run) {
    slot_scheduler s(8, 0s);
    std::vector<generated_so_far> generated(8);
    auto now = at(0s);
    for (const int running : {1, 2, 4}) {
        for (int i = s.count_running(); i < running; ++i) s.request({.due = now});
        s.take_grants(now);
        ASSERT_EQ(s.count_running(), running);
        now += 10s;
        for (int slot = 0; slot < running; ++slot) {
            auto& g = generated[static_cast<std::size_t>(slot)];
            g.tokens += std::min(800, 1600 / running);
            g.time += 10s;
            g.steady_tokens = g.tokens;
            g.steady_time = g.time;
            s.record_progress(slot, g, now);
        }
    }
    s.take_grants(now);
    EXPECT_EQ(s.max_running(), 2);
}

TEST(concurrency_limit, counts_what_a_request_generated_once) {
    slot_scheduler s(1, 0s);
    s.request({.due = at(0s)});
    s.take_grants(at(0s));
    s.record_progress(0, {}, at(0s));
    s.record_progress(0, {40, 1s}, at(1s));
    s.record_progress(0, {79, 2s}, at(2s));
    EXPECT_FALSE(s.find_tokens_per_s(at(2s))) << "80 tokens show a speed";
    s.release(0, at(4s), {.generated = {100, 4s}});
    ASSERT_TRUE(s.find_tokens_per_s(at(4s)));
    EXPECT_NEAR(*s.find_tokens_per_s(at(4s)), 25, 1) << "the last second counts a little more";
}

// Four requests run while the server evaluates the prompt of one of them, and sixteen once that
// request generates.
TEST(concurrency_limit, counts_the_requests_that_ran_since_the_first_token) {
    slot_scheduler s(16, 0s);
    const auto run = [&](int more, tandem::time_point now) {
        for (int i = 0; i < more; ++i) s.request({.due = now});
        s.take_grants(now);
    };
    run(4, at(0s));
    run(12, at(2s));
    s.record_progress(0, {}, at(2s));
    s.record_progress(0, {80, 4s}, at(6s));
    ASSERT_TRUE(s.find_tokens_per_s(at(6s))) << "16 ran";
    EXPECT_NEAR(*s.find_tokens_per_s(at(6s)), 16 * 20, 1);
}

}  // namespace
