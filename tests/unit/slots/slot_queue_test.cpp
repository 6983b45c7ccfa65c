// In which order tickets are served, and how many may wait.

#include "slot_uses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::slots::default_queue_limit;
using tandem::slots::no_ticket;
using tandem::slots::priority;
using tandem::slots::slot_scheduler;
using tandem::slots::ticket;
using tandem::slots::wish;
using tandem::test::at;
using tandem::test::use_all;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr auto guard = 2s;

/// The tickets that one slot serves, in that order.
std::vector<ticket> served_by_one_slot(const std::vector<wish>& wishes) {
    slot_scheduler s(1, 0s);
    for (const auto& w : wishes) s.request(w);
    std::vector<ticket> served;
    for (auto given = s.grants(at(0s)); !given.empty(); given = s.grants(at(0s))) {
        served.push_back(given.at(0).ticket);
        s.release(0, at(0s));
    }
    return served;
}

TEST(queue, serves_turns_then_continuations_then_prefilling) {
    EXPECT_THAT(served_by_one_slot({{.priority = priority::warming},
                                    {.priority = priority::continuation},
                                    {.priority = priority::turn}}),
                ElementsAre(3, 2, 1));
}

TEST(queue, serves_first_come_first_within_a_priority) {
    const std::vector<wish> wishes{
        {.priority = priority::continuation}, {.priority = priority::warming},
        {.priority = priority::turn},         {.priority = priority::continuation},
        {.priority = priority::warming},      {.priority = priority::turn}};
    EXPECT_THAT(served_by_one_slot(wishes), ElementsAre(3, 6, 1, 4, 2, 5));
}

TEST(queue, holds_prefilling_back_for_continuations_too) {
    slot_scheduler s(2, guard);
    use_all(s, {1s, 1s});
    s.request({.priority = priority::warming});
    const auto live = s.request({.priority = priority::continuation});
    s.withdraw(s.request());
    EXPECT_EQ(s.grants(at(3s)).at(0).ticket, live);
}

TEST(queue, takes_no_more_turns_than_its_limit) {
    slot_scheduler s(1, 0s);
    s.set_queue_limit(2);
    EXPECT_NE(s.request(), no_ticket);
    const auto second = s.request();
    EXPECT_EQ(s.request(), no_ticket);
    s.withdraw(second);
    EXPECT_NE(s.request(), no_ticket);
}

TEST(queue, has_room_again_once_a_turn_was_served) {
    slot_scheduler s(1, 0s);
    s.set_queue_limit(1);
    s.request();
    s.grants(at(0s));
    EXPECT_NE(s.request(), no_ticket);
    EXPECT_EQ(s.request(), no_ticket);
}

TEST(queue, queues_nothing_for_a_turn_that_it_refuses) {
    slot_scheduler s(2, 0s);
    s.set_queue_limit(1);
    s.request();
    s.request();
    EXPECT_EQ(s.grants(at(0s)).size(), 1u);
    EXPECT_THAT(s.grants(at(0s)), IsEmpty());
}

TEST(queue, always_takes_what_belongs_to_a_reply_that_began) {
    slot_scheduler s(1, 0s);
    s.set_queue_limit(1);
    for (int i = 0; i < 3; ++i) {
        EXPECT_NE(s.request({.priority = priority::continuation}), no_ticket);
        EXPECT_NE(s.request({.priority = priority::warming}), no_ticket);
    }
    EXPECT_NE(s.request(), no_ticket) << "only turns count";
}

TEST(queue, has_a_limit_that_nobody_set) {
    slot_scheduler s(1, 0s);
    for (std::size_t i = 0; i < default_queue_limit; ++i) ASSERT_NE(s.request(), no_ticket);
    EXPECT_EQ(s.request(), no_ticket);
}

}  // namespace
