// Tests how many callers a number of slots can serve, with the real scheduler and reply machine,
// and in an ideal earliest-deadline queue for comparison. docs/capacity.md contains the figures.

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

// Prompts and changes of conversation hold up all slots, as on llama-server.
INSTANTIATE_TEST_SUITE_P(
    on_one_machine, crowd,
    testing::Values(crowd_case{"eight", {.callers = 8}, 750, 20},
                    crowd_case{"thirty_two", {.callers = 32}, 800, 20},
                    crowd_case{"sixty_four", {.callers = 64}, 1050, 30},
                    crowd_case{"sixty_four_with_a_slot_each",
                               {.callers = 64, .slots = 64, .speed = 80},
                               600,
                               20},
                    crowd_case{"slow_voice", {.callers = 64, .voice_speed = 0.7}, 1050, 30},
                    crowd_case{"fast_voice", {.callers = 48, .voice_speed = 1.3}, 950, 30},
                    crowd_case{"pauses", {.callers = 64, .pause_between_turns = 5s}, 1050, 30},
                    crowd_case{"guard", {.callers = 16, .guard = 2s}, 1000, 100},
                    crowd_case{"warm", {.callers = 32, .mode = pacing::warm}, 1200, 800}),
    [](const auto& tested) { return tested.param.name; });

crowd_rules with_own_costs(crowd_rules rules) {
    rules.prompts_hold_up_all = false;
    return rules;
}

// Prompts and changes of conversation delay only their own request.
INSTANTIATE_TEST_SUITE_P(
    on_independent_slots, crowd,
    testing::Values(
        crowd_case{"sixty_four", with_own_costs({.callers = 64}), 750, 20},
        crowd_case{"ninety_six", with_own_costs({.callers = 96}), 1000, 100},
        crowd_case{"sixty_four_with_a_slot_each",
                   with_own_costs({.callers = 64, .slots = 64, .speed = 80}), 500, 20},
        crowd_case{"ninety_six_with_a_slot_each",
                   with_own_costs({.callers = 96, .slots = 96, .speed = 80}), 600, 20},
        crowd_case{"slow_voice", with_own_costs({.callers = 64, .voice_speed = 0.7}), 750, 20},
        crowd_case{"fast_voice", with_own_costs({.callers = 64, .voice_speed = 1.3}), 950, 30},
        crowd_case{"pauses", with_own_costs({.callers = 64, .pause_between_turns = 5s}), 750, 20}),
    [](const auto& tested) { return tested.param.name; });

// In the ideal queue, too, a prompt delays only its own request.
TEST(crowd_beside_the_ideal, waits_at_most_a_third_longer) {
    const auto rules = with_own_costs({.callers = 64});
    const double ideal = p99(run_ideal_queue(rules, 1).first_chunk_ms);
    EXPECT_LE(p99(run_crowd(rules, 1).first_chunk_ms), 1.3 * ideal);
}

TEST(crowd_that_interrupts, wastes_little) {
    const auto r = run_crowd({.callers = 64, .interrupts = 0.2}, 1);
    EXPECT_LE(r.generated - r.heard, 0.15 * r.generated);
}

// Prints the figures of docs/capacity.md.
TEST(crowd_that_grows, DISABLED_prints_its_waits) {
    for (const int callers : {8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96}) {
        const auto r = run_crowd({.callers = callers}, 1);
        std::cout << fmt::format("{} callers: {}\n", callers, describe(r));
        EXPECT_EQ(r.failed, 0);
    }
}

// The callers need more tokens than the server can generate. All callers wait, but no caller waits
// forever.
TEST(crowd_that_is_too_large, starves_nobody) {
    const auto rules = with_own_costs({.callers = 120});
    const auto longest = [](const crowd_report& r) {
        return std::max(crowd_report::percentile(r.first_chunk_ms, 1),
                        crowd_report::percentile(r.gap_ms, 1));
    };
    const auto real = run_crowd(rules, 1);
    EXPECT_EQ(real.failed, 0);
    EXPECT_LE(longest(real), 2 * longest(run_ideal_queue(rules, 1)));
}

}  // namespace
