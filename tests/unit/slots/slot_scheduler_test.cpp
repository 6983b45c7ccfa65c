#include "slot_uses.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::time_point;
using tandem::slots::slot_scheduler;
using tandem::slots::ticket;
using tandem::test::at;

// A slot that was requested and taken as soon as the guard allowed it.
struct taken {
    int slot;
    bool reused;
    duration waited;
    time_point when;
};

taken take(slot_scheduler& s, time_point now) {
    s.request();
    auto given = s.take_grants(now);
    time_point when = now;
    if (given.empty()) {
        when = next_grant(s).value();
        given = s.take_grants(when);
    }
    EXPECT_EQ(given.size(), 1u);
    return {given.at(0).slot, given.at(0).reused, given.at(0).guard_wait, when};
}

TEST(slot_scheduler, takes_slots_in_turn_when_requests_follow_each_other_quickly) {
    slot_scheduler s(2, 2s);
    duration t = 0s;
    for (const int expected : {0, 1, 0, 1, 0}) {
        const auto got = take(s, at(t));
        EXPECT_EQ(got.slot, expected);
        EXPECT_FALSE(got.reused);
        t = got.when - at(0s) + 500ms;
        s.release(got.slot, at(t));
    }
}

TEST(slot_scheduler, takes_the_last_slot_again_once_it_was_idle_for_the_guard) {
    slot_scheduler s(2, 2s);
    s.release(take(s, at(0s)).slot, at(1s));
    const auto again = take(s, at(3s));
    EXPECT_EQ(again.slot, 0);
    EXPECT_TRUE(again.reused);
    EXPECT_EQ(again.waited, 0s);
}

TEST(slot_scheduler, takes_the_other_slot_just_before_the_guard_of_the_last_one_is_over) {
    slot_scheduler s(2, 2s);
    s.release(take(s, at(0s)).slot, at(1s));
    const auto next = take(s, at(3s - 1ns));
    EXPECT_EQ(next.slot, 1);
    EXPECT_FALSE(next.reused);
}

// "Very fast replies": the third chunk waits until its slot's guard ends.
TEST(slot_scheduler, waits_for_the_rest_of_the_guard_when_chunks_are_very_fast) {
    slot_scheduler s(2, 2s);
    s.release(take(s, at(0ms)).slot, at(500ms));
    s.release(take(s, at(500ms)).slot, at(1000ms));
    const auto third = take(s, at(1000ms));
    EXPECT_EQ(third.slot, 0);
    EXPECT_EQ(third.waited, 1500ms);
    EXPECT_EQ(third.when, at(2500ms));
}

// "Rapid interruptions": the third reply finds both slots recently used.
TEST(slot_scheduler, waits_after_two_rapid_interruptions) {
    slot_scheduler s(2, 2s);
    s.release(take(s, at(0ms)).slot, at(200ms));
    s.release(take(s, at(200ms)).slot, at(400ms));
    const auto third = take(s, at(600ms));
    EXPECT_EQ(third.slot, 0);
    EXPECT_EQ(third.waited, 1600ms);
}

TEST(slot_scheduler, gives_the_only_slot_of_a_one_slot_server_with_the_guard_between) {
    slot_scheduler s(1, 2s);
    s.release(take(s, at(0s)).slot, at(1s));
    const auto next = take(s, at(1s));
    EXPECT_EQ(next.slot, 0);
    EXPECT_EQ(next.waited, 2s);
}

TEST(slot_scheduler, reuses_the_same_slot_at_once_without_a_guard) {
    slot_scheduler s(2, 0s);
    s.release(take(s, at(0s)).slot, at(1s));
    const auto next = take(s, at(1s));
    EXPECT_EQ(next.slot, 0);
    EXPECT_TRUE(next.reused);
    EXPECT_EQ(next.waited, 0s);
}

// "Interruption during the guard wait": the request is withdrawn and has no effect on others.
TEST(slot_scheduler, forgets_a_wish_that_is_taken_back_during_the_guard_wait) {
    slot_scheduler s(1, 2s);
    s.release(take(s, at(0s)).slot, at(1s));
    const ticket interrupted = s.request();
    EXPECT_TRUE(s.take_grants(at(1s)).empty());
    s.withdraw(interrupted);
    EXPECT_FALSE(next_grant(s).has_value());
    EXPECT_TRUE(s.take_grants(at(10s)).empty());
    EXPECT_FALSE(s.is_busy(0));
}

TEST(slot_scheduler, gives_one_slot_to_one_request_only) {
    slot_scheduler s(2, 2s);
    for (int i = 0; i < 3; ++i) s.request();
    const auto given = s.take_grants(at(0s));
    ASSERT_EQ(given.size(), 2u);
    EXPECT_NE(given[0].slot, given[1].slot);
    EXPECT_FALSE(next_grant(s).has_value());
    EXPECT_TRUE(s.take_grants(at(100s)).empty());
}

TEST(slot_scheduler, serves_waiting_requests_in_their_order) {
    slot_scheduler s(1, 0s);
    const ticket first = s.request();
    const ticket second = s.request();
    const ticket third = s.request();
    EXPECT_EQ(s.take_grants(at(0s)).at(0).ticket, first);
    s.release(0, at(1s));
    EXPECT_EQ(s.take_grants(at(1s)).at(0).ticket, second);
    s.release(0, at(2s));
    EXPECT_EQ(s.take_grants(at(2s)).at(0).ticket, third);
}

TEST(slot_scheduler, does_not_count_the_wait_for_a_busy_slot_as_guard_wait) {
    slot_scheduler s(1, 2s);
    const auto first = take(s, at(0s));
    s.request();
    EXPECT_TRUE(s.take_grants(at(0s)).empty());
    s.release(first.slot, at(5s));
    EXPECT_TRUE(s.take_grants(at(5s)).empty());
    EXPECT_EQ(next_grant(s), at(7s));
    EXPECT_EQ(s.take_grants(at(7s)).at(0).guard_wait, 2s);
}

TEST(slot_scheduler, takes_the_slot_whose_guard_ends_first_when_replies_overlap) {
    slot_scheduler s(3, 2s);
    for (int i = 0; i < 3; ++i) s.request();
    s.take_grants(at(0s));
    s.release(1, at(1s));
    s.release(2, at(2s));
    s.release(0, at(3s));
    const auto next = take(s, at(3s));
    EXPECT_EQ(next.slot, 1);
    EXPECT_EQ(next.waited, 0s);
}

TEST(slot_scheduler, uses_only_the_slots_that_the_server_has) {
    slot_scheduler s(4, 0s);
    s.set_slot_count(2);
    for (int i = 0; i < 4; ++i) s.request();
    for (const auto& g : s.take_grants(at(0s))) EXPECT_LT(g.slot, 2);
    EXPECT_EQ(s.slots(), 2);
}

TEST(slot_scheduler, never_has_more_slots_than_configured) {
    slot_scheduler s(2, 0s);
    s.set_slot_count(8);
    EXPECT_EQ(s.slots(), 2);
}

TEST(slot_scheduler, has_more_slots_once_it_is_widened_and_never_fewer) {
    slot_scheduler s(1, 0s);
    s.raise_slot_limit(3);
    s.raise_slot_limit(2);
    EXPECT_EQ(s.slots(), 1);
    s.set_slot_count(8);
    EXPECT_EQ(s.slots(), 3);
}

TEST(slot_scheduler, survives_the_release_of_a_slot_above_the_limit) {
    slot_scheduler s(2, 2s);
    for (int i = 0; i < 2; ++i) s.request();
    s.take_grants(at(0s));
    s.set_slot_count(1);
    s.release(1, at(1s));
    s.release(0, at(1s));
    s.request();
    EXPECT_EQ(next_grant(s), at(3s));
}

}  // namespace
