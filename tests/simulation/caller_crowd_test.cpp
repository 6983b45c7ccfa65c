// How many callers some slots carry, on the real scheduler and reply machine, beside an ideal
// earliest-deadline queue. docs/capacity.md contains the figures.

#include "simulation/caller_crowd.hpp"

#include "simulation/ideal_queue.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iostream>
#include <string>

namespace {

using namespace std::chrono_literals;
using tandem::pacing;
using tandem::test::crowd_report;
using tandem::test::crowd_rules;
using tandem::test::run_crowd;
using tandem::test::run_ideal_queue;

double p50(const std::vector<double>& values) {
    return crowd_report::percentile(values, 0.5);
}
double p99(const std::vector<double>& values) {
    return crowd_report::percentile(values, 0.99);
}

std::string describe(const crowd_report& r) {
    return fmt::format("first chunk p50 {:.0f}, p99 {:.0f} ms; gap p99 {:.0f} ms",
                       p50(r.first_chunk_ms), p99(r.first_chunk_ms), p99(r.gap_ms));
}

/// Limits of the 99th percentiles.
struct crowd_case {
    std::string name;
    crowd_rules rules;
    double first_chunk_ms;
    double gap_ms;
};

void PrintTo(const crowd_case& c, std::ostream* out) {
    *out << c.name;
}

class crowd : public testing::TestWithParam<crowd_case> {};

TEST_P(crowd, waits_no_longer_than_promised) {
    const auto& c = GetParam();
    const auto real = run_crowd(c.rules, 1);
    std::cout << fmt::format("{}: {}; ideal: {}\n", c.name, describe(real),
                             describe(run_ideal_queue(c.rules, 1)));
    EXPECT_EQ(real.failed, 0);
    EXPECT_GT(real.turns, c.rules.callers);
    EXPECT_LE(p99(real.first_chunk_ms), c.first_chunk_ms);
    EXPECT_LE(p99(real.gap_ms), c.gap_ms);
}

INSTANTIATE_TEST_SUITE_P(
    callers, crowd,
    testing::Values(crowd_case{"eight", {.callers = 8}, 750, 20},
                    crowd_case{"thirty_two", {.callers = 32}, 900, 20},
                    crowd_case{"sixty_four", {.callers = 64}, 1200, 50},
                    crowd_case{"sixty_four_with_a_slot_each",
                               {.callers = 64, .slots = 64, .speed = 80},
                               1000,
                               20},
                    crowd_case{"slow_voice", {.callers = 64, .voice_speed = 0.7}, 1200, 50},
                    crowd_case{"fast_voice", {.callers = 48, .voice_speed = 1.3}, 1200, 50},
                    crowd_case{"pauses", {.callers = 64, .pause_between_turns = 5s}, 1200, 50},
                    crowd_case{"guard", {.callers = 16, .guard = 2s}, 1500, 100},
                    crowd_case{"warm", {.callers = 32, .mode = pacing::warm}, 1200, 1000}),
    [](const auto& tested) { return tested.param.name; });

// Beyond the ideal, prompts and changes of conversation hold up all slots, and a new turn waits for
// the end of a sentence at one of them.
TEST(crowd_beside_the_ideal, waits_at_most_twice_as_long) {
    const crowd_rules rules{.callers = 64};
    const double ideal = p99(run_ideal_queue(rules, 1).first_chunk_ms);
    EXPECT_LE(p99(run_crowd(rules, 1).first_chunk_ms), 2 * ideal);
}

TEST(crowd_that_interrupts, wastes_little) {
    const auto r = run_crowd({.callers = 64, .interrupts = 0.2}, 1);
    EXPECT_LE(r.generated - r.heard, 0.15 * r.generated);
}

// More is due than can be made: everybody waits, and nobody forever.
TEST(crowd_that_is_too_large, starves_nobody) {
    const crowd_rules rules{.callers = 120};
    const auto longest = [](const crowd_report& r) {
        return std::max(crowd_report::percentile(r.first_chunk_ms, 1),
                        crowd_report::percentile(r.gap_ms, 1));
    };
    const auto real = run_crowd(rules, 1);
    EXPECT_EQ(real.failed, 0);
    EXPECT_LE(longest(real), 10'000);
}

}  // namespace
