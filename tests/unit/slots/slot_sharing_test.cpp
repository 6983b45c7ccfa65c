// Several replies on the same slots: waits, and slots that are added and removed.

#include "slot_uses.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::slots::describe_wait;
using tandem::slots::server_slot_state;
using tandem::slots::slot_scheduler;
using tandem::test::at;
using tandem::test::only_grant;
using tandem::test::use_all;

TEST(guard_wait, is_that_of_the_second_slot_for_the_second_in_the_queue) {
    slot_scheduler s(2, 2s);
    use_all(s, {1s, 2s});
    s.request();
    s.request();
    EXPECT_TRUE(s.take_grants(at(2s)).empty());
    EXPECT_EQ(only_grant(s, at(3s)).guard_wait, 1s);
    EXPECT_EQ(only_grant(s, at(4s)).guard_wait, 2s);
}

TEST(guard_wait, counts_no_time_behind_another_reply) {
    slot_scheduler s(1, 2s);
    use_all(s, {1s});
    s.request();
    s.request();
    EXPECT_TRUE(s.take_grants(at(1s)).empty());
    EXPECT_EQ(only_grant(s, at(3s)).guard_wait, 2s);
    s.release(0, at(8s));
    EXPECT_TRUE(s.take_grants(at(8s)).empty());
    EXPECT_EQ(only_grant(s, at(10s)).guard_wait, 2s);
}

TEST(guard_wait, begins_when_a_slot_is_there_for_the_second_in_the_queue_too) {
    slot_scheduler s(2, 2s);
    s.request();
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s));
    s.request();
    s.request();
    EXPECT_TRUE(s.take_grants(at(1s)).empty());
    s.release(1, at(2s));
    EXPECT_TRUE(s.take_grants(at(2s)).empty());
    EXPECT_EQ(only_grant(s, at(3s)).guard_wait, 2s);
    EXPECT_EQ(only_grant(s, at(4s)).guard_wait, 2s);
}

TEST(guard_wait, is_none_for_who_waits_for_busy_slots_only) {
    slot_scheduler s(1, 0s);
    s.request();
    s.take_grants(at(0s));
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(5s));
    EXPECT_EQ(only_grant(s, at(5s)).guard_wait, 0s);
}

TEST(wait, tells_which_guard_and_how_long) {
    slot_scheduler s(2, 2s);
    use_all(s, {1000ms, 500ms});
    const auto ticket = s.request();
    s.take_grants(at(1s));
    ASSERT_TRUE(s.find_wait_reason(ticket, at(1s)));
    EXPECT_EQ(describe_wait(*s.find_wait_reason(ticket, at(1s))),
              "waits 1500 ms for the reuse guard of slot 1");
}

TEST(wait, tells_that_all_slots_are_in_use) {
    slot_scheduler s(2, 2s);
    for (int i = 0; i < 3; ++i) s.request();
    s.take_grants(at(0s));
    const auto ticket = s.request();
    ASSERT_TRUE(s.find_wait_reason(ticket, at(0s)));
    EXPECT_EQ(describe_wait(*s.find_wait_reason(ticket, at(0s))),
              "waits for a slot: 2 in use or promised, 1 waiting before it");
}

TEST(wait, is_none_for_a_ticket_that_was_granted_or_withdrawn) {
    slot_scheduler s(1, 2s);
    const auto granted = s.request();
    const auto withdrawn = s.request();
    s.take_grants(at(0s));
    s.withdraw(withdrawn);
    EXPECT_FALSE(s.find_wait_reason(granted, at(0s)));
    EXPECT_FALSE(s.find_wait_reason(withdrawn, at(0s)));
}

// The request is cut before its first token. The server may process the prompt for seconds.
TEST(slot_that_may_be_busy, is_not_used_again_while_another_one_is_ready) {
    slot_scheduler s(2, 0s);
    s.request();
    s.release(only_grant(s, at(0s)).slot, at(1s), {.server_state = server_slot_state::maybe_busy});
    s.request();
    EXPECT_EQ(only_grant(s, at(1s)).slot, 1);
    s.release(1, at(2s));
    s.request();
    EXPECT_EQ(only_grant(s, at(2s)).slot, 1);
}

TEST(slot_that_may_be_busy, is_used_rather_than_waiting_for_the_guard_of_another) {
    slot_scheduler s(2, 2s);
    s.request();
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s), {.server_state = server_slot_state::maybe_busy});
    s.release(1, at(3s));
    s.request();
    EXPECT_EQ(only_grant(s, at(3s)).slot, 0);
}

TEST(slot_that_may_be_busy, keeps_its_guard_from_the_cut_on) {
    slot_scheduler s(1, 2s);
    s.request();
    s.release(only_grant(s, at(0s)).slot, at(1s), {.server_state = server_slot_state::maybe_busy});
    s.request();
    EXPECT_TRUE(s.take_grants(at(1s)).empty());
    EXPECT_EQ(s.next_grant(), at(3s));
    EXPECT_TRUE(only_grant(s, at(3s)).reused);
}

TEST(slot_that_may_be_busy, is_as_good_as_any_after_its_next_request) {
    slot_scheduler s(1, 0s);
    s.request();
    s.release(only_grant(s, at(0s)).slot, at(1s), {.server_state = server_slot_state::maybe_busy});
    s.request();
    s.release(only_grant(s, at(1s)).slot, at(2s));
    s.request();
    EXPECT_TRUE(only_grant(s, at(2s)).reused);
}

TEST(slot_limit, goes_up_again_to_what_was_configured) {
    slot_scheduler s(3, 0s);
    s.set_slot_count(1);
    EXPECT_EQ(s.slots(), 1);
    s.set_slot_count(8);
    EXPECT_EQ(s.slots(), 3);
    for (int i = 0; i < 4; ++i) s.request();
    EXPECT_EQ(s.take_grants(at(0s)).size(), 3u);
}

TEST(slot_limit, leaves_a_slot_in_use_to_its_request) {
    slot_scheduler s(2, 2s);
    s.request();
    s.request();
    s.take_grants(at(0s));
    s.set_slot_count(1);
    s.set_slot_count(2);
    s.request();
    EXPECT_TRUE(s.take_grants(at(0s)).empty());
    s.release(1, at(1s));
    EXPECT_TRUE(s.take_grants(at(1s)).empty());
    EXPECT_EQ(s.next_grant(), at(3s));
}

TEST(slot_limit, keeps_the_guard_of_a_slot_that_was_away) {
    slot_scheduler s(2, 2s);
    use_all(s, {1s, 1s});
    s.set_slot_count(1);
    s.set_slot_count(2);
    s.request();
    EXPECT_TRUE(s.take_grants(at(2s)).empty());
}

}  // namespace
