#include "bench/capacity_search.hpp"

#include "bench/capacity_report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

namespace {

using tandem::command::capacity_search;
using tandem::command::capacity_step;
using testing::AllOf;
using testing::ElementsAre;
using testing::Ge;
using testing::Le;
using testing::SizeIs;

// Runs a search in which a step succeeds if `holds` is true for its number of callers. Returns the
// number of callers in each step.
std::vector<int> search(capacity_search& s, const std::function<bool(int)>& holds) {
    std::vector<int> steps;
    while (const auto callers = s.next_callers()) {
        steps.push_back(*callers);
        s.add_outcome(holds(*callers));
    }
    return steps;
}

TEST(capacity_search, finds_none_if_not_even_one_caller_holds) {
    capacity_search s;
    EXPECT_THAT(search(s, [](int) { return false; }), ElementsAre(4, 2, 1));
    EXPECT_EQ(s.highest_held(), 0);
    EXPECT_EQ(s.lowest_failed(), 1);
}

TEST(capacity_search, ends_with_the_maximum_if_each_step_holds) {
    capacity_search s;
    EXPECT_THAT(search(s, [](int) { return true; }),
                ElementsAre(4, 8, 16, 32, 64, 128, 256, 512, 1000));
    EXPECT_EQ(s.highest_held(), 1000);
    EXPECT_EQ(s.lowest_failed(), std::nullopt);
}

TEST(capacity_search, halves_the_interval_between_the_last_two_doublings) {
    capacity_search s;
    EXPECT_THAT(search(s, [](int callers) { return callers <= 83; }),
                ElementsAre(4, 8, 16, 32, 64, 128, 96, 80, 88, 84));
    EXPECT_EQ(s.highest_held(), 80);
    EXPECT_EQ(s.lowest_failed(), 84);
}

TEST(capacity_search, finds_each_limit_within_five_percent_or_exactly_below_forty) {
    for (int limit = 1; limit <= capacity_search::max_callers; ++limit) {
        capacity_search s;
        const auto steps = search(s, [&](int callers) { return callers <= limit; });
        EXPECT_THAT(s.highest_held(), AllOf(Le(limit), Ge(limit < 40 ? limit : limit / 1.05)));
        EXPECT_THAT(steps, SizeIs(Le(16))) << limit;
    }
}

TEST(capacity_search, knows_what_it_has_seen_when_it_is_left_early) {
    capacity_search s;
    s.add_outcome(true);
    EXPECT_EQ(s.highest_held(), 4);
    EXPECT_EQ(s.lowest_failed(), std::nullopt);
    EXPECT_EQ(s.next_callers(), 8);
}

TEST(capacity_search, asks_for_the_same_step_until_it_has_its_outcome) {
    capacity_search s;
    EXPECT_EQ(s.next_callers(), 4);
    EXPECT_EQ(s.next_callers(), 4);
}

// A step in which a reply failed, although all other replies began immediately.
TEST(capacity_search, takes_failed_replies_as_over) {
    capacity_search s;
    search(s, [](int callers) {
        const capacity_step step{
            .callers = callers, .first_chunks = callers, .failed = callers > 20 ? 1 : 0};
        return step.describe_exceeded({}).empty();
    });
    EXPECT_EQ(s.highest_held(), 20);
    EXPECT_EQ(s.lowest_failed(), 21);
}

}  // namespace
