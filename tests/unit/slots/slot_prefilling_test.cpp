// Which slots prefilling may take, and which tickets wait for prefilling.

#include "slot_uses.hpp"

#include <gtest/gtest.h>

#include <optional>

namespace {

using namespace std::chrono_literals;
using tandem::slots::describe_wait;
using tandem::slots::request_kind;
using tandem::slots::server_slot_state;
using tandem::slots::slot_scheduler;
using tandem::test::at;
using tandem::test::guard;
using tandem::test::use_all;

TEST(prefilling, comes_after_all_live_tickets) {
    slot_scheduler s(1, 0s);
    const auto warming = s.request({.kind = request_kind::background});
    const auto live = s.request();
    const auto second = s.request();
    EXPECT_EQ(s.take_grants(at(0s)).at(0).ticket, live);
    s.release(0, at(1s));
    EXPECT_EQ(s.take_grants(at(1s)).at(0).ticket, second);
    s.release(0, at(2s));
    EXPECT_EQ(s.take_grants(at(2s)).at(0).ticket, warming);
}

TEST(prefilling, does_not_pass_a_live_ticket_that_waits_for_a_guard) {
    slot_scheduler s(2, guard);
    use_all(s, {1s, 2s});
    const auto warming = s.request({.kind = request_kind::background});
    const auto live = s.request();
    EXPECT_TRUE(s.take_grants(at(2s)).empty());
    EXPECT_EQ(s.take_grants(at(3s)).at(0).ticket, live);
    EXPECT_EQ(next_grant(s), at(4s));
    EXPECT_EQ(s.take_grants(at(4s)).at(0).ticket, warming);
}

TEST(prefilling, is_waited_for_rather_than_a_slot_that_holds_less) {
    slot_scheduler s(2, 0s);
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s), {.holds = "Dear"});
    s.request({.prompt = "Dear Anna", .kind = request_kind::background});
    ASSERT_EQ(s.take_grants(at(1s)).at(0).slot, 0);
    s.request({.prompt = "Dear Anna", .warmed = 0});
    EXPECT_TRUE(s.take_grants(at(2s)).empty());
    EXPECT_EQ(next_grant(s), std::nullopt);
    s.release(0, at(3s), {.is_use = false, .holds = "Dear Anna"});
    const auto given = s.take_grants(at(3s));
    ASSERT_EQ(given.size(), 1u);
    EXPECT_EQ(given[0].slot, 0);
    EXPECT_EQ(given[0].guard_wait, 0s);
}

TEST(prefilling, takes_no_slot_from_which_another_reply_continues) {
    slot_scheduler s(2, 2s);
    s.request({.owner = 1});
    s.request({.owner = 2});
    s.take_grants(at(0s));
    s.release(0, at(0s), {.holds = "Anna"});
    s.release(1, at(1s), {.holds = "Bert"});
    s.request({.prompt = "Bert", .kind = request_kind::background, .owner = 2});
    EXPECT_TRUE(s.take_grants(at(2s)).empty());
    EXPECT_EQ(next_grant(s), at(3s));
    s.release_owner(1);
    EXPECT_EQ(s.take_grants(at(2s)).at(0).slot, 0);
}

TEST(prefilling, waits_until_a_cut_is_verified) {
    slot_scheduler s(2, 0s);
    s.request({.owner = 1});
    s.request({.owner = 2});
    s.take_grants(at(0s));
    s.release(0, at(1s), {.server_state = server_slot_state::unverified});
    s.request({.kind = request_kind::background, .owner = 1});
    EXPECT_TRUE(s.take_grants(at(1s)).empty());
    EXPECT_EQ(next_grant(s), std::nullopt);
    s.set_server_state(0, server_slot_state::idle);
    EXPECT_EQ(s.take_grants(at(2s)).size(), 1u);
}

TEST(prefilling, is_not_held_up_by_a_watch_that_ended) {
    slot_scheduler s(1, 0s);
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s), {.server_state = server_slot_state::unverified});
    s.request({.kind = request_kind::background});
    s.stop_verifying();
    EXPECT_EQ(s.take_grants(at(1s)).size(), 1u);
}

TEST(unverified_slot, is_as_good_as_an_idle_one_for_a_request) {
    slot_scheduler s(1, 0s);
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s), {.server_state = server_slot_state::unverified});
    s.request();
    EXPECT_EQ(s.take_grants(at(1s)).size(), 1u);
}

TEST(prefilling, holds_up_nobody_but_its_owner) {
    slot_scheduler s(2, 0s);
    s.request({.owner = 1});
    s.request({.owner = 2});
    s.take_grants(at(0s));
    s.release(0, at(1s), {.holds = "Anna"});
    s.request({.prompt = "Anna!", .kind = request_kind::background, .owner = 1});
    ASSERT_EQ(s.take_grants(at(1s)).at(0).slot, 0);
    s.release(1, at(1s), {.holds = "Bert"});
    const auto first = s.request({.prompt = "Anna!", .warmed = 0, .owner = 1});
    const auto second = s.request({.prompt = "Bert!", .owner = 2});
    const auto given = s.take_grants(at(2s));
    ASSERT_EQ(given.size(), 1u);
    EXPECT_EQ(given[0].ticket, second);
    EXPECT_EQ(describe_wait(s.find_wait_reason(first, at(2s)).value()),
              "waits for slot 0, which is being prefilled");
    s.release(0, at(9s), {.is_use = false, .holds = "Anna"});
    const auto late = s.take_grants(at(9s));
    ASSERT_EQ(late.size(), 1u);
    EXPECT_EQ(late[0].guard_wait, 0s) << "the wait was not due to the guard";
}

TEST(prefilling, of_another_owner_is_not_waited_for) {
    slot_scheduler s(2, 0s);
    s.request({.kind = request_kind::background, .owner = 2});
    ASSERT_EQ(s.take_grants(at(0s)).at(0).slot, 0);
    s.request({.prompt = "Anna", .warmed = 0, .owner = 1});
    EXPECT_EQ(s.take_grants(at(0s)).at(0).slot, 1);
}

TEST(prefilling, without_a_slot_of_its_own_holds_up_no_other) {
    slot_scheduler s(2, 0s);
    s.request({.owner = 1});
    s.request({.owner = 2});
    s.take_grants(at(0s));
    s.release(1, at(1s), {.holds = "Bert"});
    s.request({.prompt = "Carl", .kind = request_kind::background, .owner = 3});
    const auto second = s.request({.prompt = "Bert", .kind = request_kind::background, .owner = 2});
    EXPECT_EQ(s.take_grants(at(1s)).at(0).ticket, second);
}

TEST(prefilling, is_not_waited_for_if_another_slot_holds_all) {
    slot_scheduler s(2, 2s);
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s), {.holds = "Dear Anna"});
    s.request({.prompt = "Dear Anna", .kind = request_kind::background});
    ASSERT_EQ(s.take_grants(at(1s)).at(0).slot, 1);
    s.request({.prompt = "Dear Anna", .warmed = 1});
    EXPECT_TRUE(s.take_grants(at(2s)).empty());
    EXPECT_EQ(next_grant(s), at(3s));
    EXPECT_EQ(s.take_grants(at(3s)).at(0).slot, 0);
}

TEST(prefilling, that_is_waited_for_promises_no_other_slot) {
    slot_scheduler s(2, 2s);
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s), {.holds = "Dear Anna"});
    s.request({.prompt = "Dear Anna", .kind = request_kind::background});
    ASSERT_EQ(s.take_grants(at(1s)).at(0).slot, 1);
    const auto first = s.request({.prompt = "Dear Anna", .warmed = 1});
    const auto second = s.request();
    EXPECT_EQ(s.find_wait_reason(first, at(2s)).value().prefilled_slot, 1);
    EXPECT_EQ(s.find_wait_reason(first, at(2s)).value().guarded_slot, std::nullopt);
    EXPECT_EQ(s.find_wait_reason(second, at(2s)).value().guarded_slot, 0);
}

TEST(prefilling, waits_for_the_guard_that_live_tickets_leave) {
    slot_scheduler s(2, guard);
    use_all(s, {1s, 2s});
    s.request();
    const auto warming = s.request({.kind = request_kind::background});
    EXPECT_EQ(s.find_wait_reason(warming, at(2s)).value().guarded_slot, 1);
}

TEST(prefilling, leaves_the_guard_and_the_order_of_slots_as_they_were) {
    slot_scheduler s(2, guard);
    s.request();
    EXPECT_EQ(s.take_grants(at(0s)).at(0).slot, 0);
    s.release(0, at(1s));
    s.request({.kind = request_kind::background});
    EXPECT_EQ(s.take_grants(at(1s)).at(0).slot, 1);
    s.release(1, at(2s), {.is_use = false, .holds = "Dear"});
    // A prefill is not a use: slot 1 has no guard, and slot 0 remains the last used slot.
    s.request({.prompt = "Dear Anna", .warmed = 1});
    const auto given = s.take_grants(at(2s));
    ASSERT_EQ(given.size(), 1u);
    EXPECT_EQ(given[0].slot, 1);
    EXPECT_FALSE(given[0].reused);
    s.release(1, at(3s), {.is_use = false, .holds = "Dear"});
    s.request();
    EXPECT_TRUE(s.take_grants(at(3s)).at(0).reused);
}

TEST(prefilling, reports_what_the_slot_holds) {
    slot_scheduler s(2, 0s);
    s.request();
    s.release(s.take_grants(at(0s)).at(0).slot, at(1s), {.holds = "Dear"});
    s.request({.kind = request_kind::background});
    EXPECT_EQ(s.take_grants(at(1s)).at(0).slot, 0);
    s.request({.kind = request_kind::background});
    EXPECT_EQ(s.take_grants(at(1s)).at(0).slot, 1);
    s.release(0, at(2s), {.has_run = false});
    s.release(1, at(2s), {.is_use = false, .holds = "Dear A"});
    s.request({.prompt = "Dear Anna"});
    EXPECT_EQ(s.take_grants(at(2s)).at(0).slot, 1);
}

}  // namespace
