// Slots that are leased to owners.

#include "slot_uses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::slots::describe_wait;
using tandem::slots::nobody;
using tandem::slots::owner_id;
using tandem::slots::priority;
using tandem::slots::server_slot_state;
using tandem::slots::slot_scheduler;
using tandem::test::at;
using tandem::test::guard;
using tandem::test::only_grant;
using tandem::test::use_all;
using testing::ElementsAre;
using testing::IsEmpty;

/// The owner to which each slot is leased.
std::vector<owner_id> leases_of(const slot_scheduler& s) {
    std::vector<owner_id> leases;
    for (int slot = 0; slot < s.slots(); ++slot) leases.push_back(s.leased_to(slot));
    return leases;
}

/// The owner uses one slot and releases it at 1 s. Returns the slot.
int use_one(slot_scheduler& s, owner_id owner, int lease, const std::string& text = {}) {
    s.request({.owner = owner, .lease = lease});
    const int slot = only_grant(s, at(1s)).slot;
    s.release(slot, at(1s), {.holds = text});
    return slot;
}

TEST(lease, is_of_the_slot_that_was_granted) {
    slot_scheduler s(2, 0s);
    use_one(s, 1, 1);
    EXPECT_THAT(leases_of(s), ElementsAre(1, nobody));
}

TEST(lease, is_for_owners_only) {
    slot_scheduler s(2, 0s);
    use_one(s, nobody, 2);
    EXPECT_THAT(leases_of(s), ElementsAre(nobody, nobody));
}

TEST(lease, is_of_a_slot_that_was_prefilled_too) {
    slot_scheduler s(2, 0s);
    s.request({.priority = priority::warming, .owner = 1, .lease = 1});
    EXPECT_EQ(only_grant(s, at(0s)).slot, 0);
    EXPECT_THAT(leases_of(s), ElementsAre(1, nobody));
}

TEST(leased_slot, is_not_given_to_others_whatever_it_holds) {
    slot_scheduler s(2, 0s);
    use_one(s, 1, 1, "Dear Anna");
    s.request({.prompt = "Dear Anna", .owner = 2});
    EXPECT_EQ(only_grant(s, at(1s)).slot, 1);
    s.request({.prompt = "Dear Anna", .owner = 2, .lease = 1});
    s.request({.prompt = "Dear Anna", .priority = priority::continuation});
    EXPECT_THAT(s.take_grants(at(9s)), IsEmpty());
    EXPECT_EQ(s.next_grant(), std::nullopt);
}

TEST(leased_slot, is_not_prefilled_for_others) {
    slot_scheduler s(1, 0s);
    use_one(s, 1, 1);
    s.request({.priority = priority::warming, .owner = 2});
    s.request({.priority = priority::warming});
    EXPECT_THAT(s.take_grants(at(9s)), IsEmpty());
}

TEST(leased_slot, is_waited_for_by_an_owner_who_has_no_other) {
    slot_scheduler s(2, guard);
    use_one(s, 1, 1);
    s.request({.owner = 1, .lease = 1});
    EXPECT_THAT(s.take_grants(at(1s)), IsEmpty());
    EXPECT_EQ(s.next_grant(), at(3s));
    EXPECT_EQ(only_grant(s, at(3s)).guard_wait, 2s);
}

TEST(leased_slot, stays_leased_when_it_is_given_back_unused) {
    slot_scheduler s(2, 0s);
    s.request({.owner = 1, .lease = 1});
    s.release(only_grant(s, at(0s)).slot, at(0s), {.has_run = false});
    EXPECT_THAT(leases_of(s), ElementsAre(1, nobody));
}

TEST(leased_slot, stays_leased_when_its_owner_asks_for_no_lease) {
    slot_scheduler s(2, 0s);
    use_one(s, 1, 1, "Dear");
    s.request({.prompt = "Dear", .owner = 1});
    EXPECT_EQ(only_grant(s, at(1s)).slot, 0);
    EXPECT_THAT(leases_of(s), ElementsAre(1, nobody));
}

TEST(lease_of_two, takes_another_slot_at_once) {
    slot_scheduler s(3, 0s);
    use_one(s, 1, 2);
    EXPECT_THAT(leases_of(s), ElementsAre(1, 1, nobody));
}

TEST(lease_of_two, is_used_in_turn) {
    slot_scheduler s(3, guard);
    use_one(s, 1, 2);
    s.request({.owner = 1, .lease = 2});
    s.release(only_grant(s, at(1s)).slot, at(2s));
    s.request({.owner = 1, .lease = 2});
    EXPECT_THAT(s.take_grants(at(2s)), IsEmpty()) << "though slot 2 is ready";
    EXPECT_EQ(only_grant(s, at(3s)).slot, 0);
}

TEST(lease_of_two, takes_the_slot_that_holds_the_most) {
    slot_scheduler s(4, 0s);
    s.request();
    s.request();
    s.request();
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s), {.holds = "Dear"});
    s.release(1, at(2s), {.holds = "Dear A"});
    s.release(2, at(3s), {.holds = "Dear Anna"});
    s.release(3, at(4s), {.holds = "Other"});
    s.request({.prompt = "Dear Anna", .owner = 1, .lease = 2});
    EXPECT_EQ(only_grant(s, at(9s)).slot, 2);
    EXPECT_THAT(leases_of(s), ElementsAre(nobody, 1, 1, nobody));
}

TEST(lease_of_two, takes_the_slot_whose_guard_ends_first_of_those_that_hold_as_much) {
    slot_scheduler s(3, guard);
    use_all(s, {1s, 7s, 6s});
    s.request({.owner = 1, .lease = 2});
    EXPECT_EQ(only_grant(s, at(7s)).slot, 0);
    EXPECT_THAT(leases_of(s), ElementsAre(1, nobody, 1)) << "though it is within its guard";
}

TEST(lease_of_two, takes_no_slot_that_is_in_use_or_stuck_or_anothers) {
    slot_scheduler s(5, 0s);
    s.request({.owner = 2, .lease = 1});
    s.request();
    EXPECT_EQ(s.take_grants(at(0s)).size(), 2u);
    s.release(0, at(0s));
    s.set_server_state(2, server_slot_state::busy);
    use_one(s, 1, 3);
    EXPECT_THAT(leases_of(s), ElementsAre(2, nobody, nobody, 1, 1));
}

TEST(lease_of_two, takes_what_is_there_and_the_rest_later) {
    slot_scheduler s(2, 0s);
    s.request();
    s.request({.owner = 1, .lease = 2});
    EXPECT_EQ(s.take_grants(at(0s)).size(), 2u);
    EXPECT_THAT(leases_of(s), ElementsAre(nobody, 1));
    s.release(0, at(1s));
    s.request({.owner = 1, .lease = 2});
    EXPECT_EQ(only_grant(s, at(1s)).slot, 0) << "while the other is in use";
    EXPECT_THAT(leases_of(s), ElementsAre(1, 1));
}

TEST(lease_of_two, grows_when_the_owner_is_granted_its_own_slot_again) {
    slot_scheduler s(2, 0s);
    s.request();
    s.request({.owner = 1, .lease = 2});
    EXPECT_EQ(s.take_grants(at(0s)).size(), 2u);
    s.release(1, at(1s), {.holds = "Dear"});
    s.release(0, at(1s));
    s.request({.prompt = "Dear", .owner = 1, .lease = 2});
    EXPECT_EQ(only_grant(s, at(1s)).slot, 1);
    EXPECT_THAT(leases_of(s), ElementsAre(1, 1));
}

TEST(lease_of_two, leaves_the_slot_that_an_earlier_ticket_was_promised) {
    slot_scheduler s(2, guard);
    s.request({.owner = 1, .lease = 1});
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(0s));
    s.release(1, at(1s));
    const auto first = s.request();
    s.request({.owner = 1, .lease = 2});
    EXPECT_EQ(only_grant(s, at(2s)).slot, 0);
    EXPECT_THAT(leases_of(s), ElementsAre(1, nobody));
    EXPECT_EQ(only_grant(s, at(3s)).ticket, first);
}

TEST(lease_of_one, of_an_owner_that_had_two_leaves_it_the_one_that_it_uses) {
    slot_scheduler s(3, 0s);
    use_one(s, 1, 2, "Dear");
    s.request({.prompt = "Dear", .owner = 1, .lease = 1});
    EXPECT_EQ(only_grant(s, at(1s)).slot, 0);
    EXPECT_THAT(leases_of(s), ElementsAre(1, nobody, nobody));
}

/// Owner 1 has leases on three slots, which it used at the same time. They hold different texts.
slot_scheduler with_three_leases() {
    slot_scheduler s(3, 0s);
    for (int i = 0; i < 3; ++i) s.request({.owner = 1, .lease = 3});
    s.take_grants(at(0s));
    s.release(0, at(1s), {.holds = "Dear Anna"});
    s.release(1, at(2s), {.holds = "Other"});
    s.release(2, at(3s), {.holds = "Dear A"});
    return s;
}

TEST(lease_of_two, of_an_owner_that_had_three_leaves_it_what_holds_the_most) {
    auto s = with_three_leases();
    s.request({.prompt = "Dear Anna", .owner = 1, .lease = 2});
    EXPECT_EQ(only_grant(s, at(4s)).slot, 0);
    EXPECT_THAT(leases_of(s), ElementsAre(1, nobody, 1));
}

TEST(lease_of_two, of_an_owner_that_had_three_leaves_it_what_it_is_using) {
    auto s = with_three_leases();
    s.request({.prompt = "Other", .owner = 1, .lease = 3});
    EXPECT_EQ(only_grant(s, at(4s)).slot, 1);
    s.request({.prompt = "Dear Anna", .owner = 1, .lease = 2});
    EXPECT_EQ(only_grant(s, at(4s)).slot, 0);
    EXPECT_THAT(leases_of(s), ElementsAre(1, 1, nobody));
}

TEST(stuck_lease, is_replaced) {
    slot_scheduler s(2, 0s);
    use_one(s, 1, 1);
    s.set_server_state(0, server_slot_state::busy);
    s.request({.owner = 1, .lease = 1});
    EXPECT_EQ(only_grant(s, at(1s)).slot, 1);
    EXPECT_THAT(leases_of(s), ElementsAre(1, 1));
}

TEST(stuck_lease, that_was_replaced_goes_once_it_is_idle_again) {
    slot_scheduler s(2, 0s);
    use_one(s, 1, 1);
    s.set_server_state(0, server_slot_state::busy);
    use_one(s, 1, 1, "Dear");
    s.set_server_state(0, server_slot_state::idle);
    EXPECT_THAT(leases_of(s), ElementsAre(1, 1));
    s.request({.prompt = "Dear", .owner = 1, .lease = 1});
    EXPECT_EQ(only_grant(s, at(2s)).slot, 1);
    EXPECT_THAT(leases_of(s), ElementsAre(nobody, 1));
}

TEST(stuck_lease, that_goes_is_given_to_who_waited_before) {
    slot_scheduler s(2, 0s);
    use_one(s, 1, 1);
    s.set_server_state(0, server_slot_state::busy);
    use_one(s, 1, 1, "Dear");
    s.set_server_state(0, server_slot_state::idle);
    s.request({.owner = 2, .lease = 1});
    EXPECT_THAT(s.take_grants(at(2s)), IsEmpty());
    s.request({.prompt = "Dear", .owner = 1, .lease = 1});
    EXPECT_EQ(s.take_grants(at(2s)).size(), 2u);
    EXPECT_THAT(leases_of(s), ElementsAre(2, 1));
}

TEST(stuck_lease, is_taken_where_all_other_slots_are_leased_to_others) {
    slot_scheduler s(2, 0s);
    use_one(s, 1, 1);
    use_one(s, 2, 1);
    s.set_server_state(0, server_slot_state::busy);
    s.request({.owner = 1, .lease = 1});
    EXPECT_EQ(only_grant(s, at(2s)).slot, 0) << "the server holds it back, and its clock ends it";
}

TEST(stuck_lease, is_left_while_a_free_slot_is_in_use) {
    slot_scheduler s(2, 0s);
    use_one(s, 1, 1);
    s.request();
    EXPECT_EQ(only_grant(s, at(1s)).slot, 1);
    s.set_server_state(0, server_slot_state::busy);
    s.request({.owner = 1, .lease = 1});
    EXPECT_THAT(s.take_grants(at(2s)), IsEmpty());
    s.release(1, at(3s));
    EXPECT_EQ(only_grant(s, at(3s)).slot, 1);
}

TEST(stuck_lease, is_not_for_others) {
    slot_scheduler s(1, 0s);
    use_one(s, 1, 1);
    s.set_server_state(0, server_slot_state::busy);
    s.request({.owner = 2, .lease = 1});
    EXPECT_THAT(s.take_grants(at(2s)), IsEmpty());
}

TEST(let_go, frees_the_slots_for_who_waits) {
    slot_scheduler s(2, 0s);
    use_one(s, 1, 2);
    s.request({.owner = 2, .lease = 1});
    EXPECT_THAT(s.take_grants(at(2s)), IsEmpty());
    s.release_owner(1);
    EXPECT_EQ(s.take_grants(at(2s)).size(), 1u);
}

TEST(let_go, frees_a_slot_in_use_once_it_is_given_back) {
    slot_scheduler s(1, 0s);
    s.request({.owner = 1, .lease = 1});
    s.take_grants(at(0s));
    s.release_owner(1);
    s.request();
    EXPECT_THAT(s.take_grants(at(0s)), IsEmpty());
    s.release(0, at(1s));
    EXPECT_EQ(only_grant(s, at(1s)).slot, 0);
    EXPECT_EQ(s.leased_to(0), nobody);
}

TEST(let_go, leaves_what_the_slots_hold) {
    slot_scheduler s(3, 0s);
    use_one(s, 1, 1, "Dear Anna");
    use_one(s, 2, 1, "Other");
    s.release_owner(1);
    s.release_owner(2);
    s.request({.prompt = "Dear Anna, hello", .owner = 1, .lease = 1});
    EXPECT_EQ(only_grant(s, at(2s)).slot, 0);
}

TEST(slot_limit, ends_the_leases_of_the_slots_that_are_gone) {
    slot_scheduler s(3, 0s);
    use_one(s, 2, 1);
    use_one(s, 3, 1);
    use_one(s, 1, 1);
    s.release_owner(2);
    s.set_slot_count(2);
    s.request({.owner = 1, .lease = 1});
    EXPECT_EQ(only_grant(s, at(2s)).slot, 0);
    s.set_slot_count(3);
    EXPECT_THAT(leases_of(s), ElementsAre(1, 3, nobody));
}

TEST(slot_limit, ends_the_lease_of_a_gone_slot_in_use) {
    slot_scheduler s(2, 0s);
    s.request();
    s.request({.owner = 1, .lease = 1});
    EXPECT_EQ(s.take_grants(at(0s)).size(), 2u);
    s.set_slot_count(1);
    s.release(0, at(1s));
    s.request({.owner = 1, .lease = 1});
    EXPECT_EQ(only_grant(s, at(1s)).slot, 0);
}

// --- sharing

/// Slot 0 is leased to owner 1 and holds "Dear". Slot 1 is not leased and is released at 2 s.
slot_scheduler sharing_scheduler() {
    slot_scheduler s(2, guard);
    s.request({.owner = 1, .lease = 1});
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s), {.holds = "Dear"});
    s.release(1, at(2s));
    s.allow_lease_sharing(true);
    return s;
}

TEST(sharing, gives_a_turn_the_slot_of_another_rather_than_a_wait) {
    auto s = sharing_scheduler();
    s.request({.owner = 2, .lease = 1});
    EXPECT_EQ(only_grant(s, at(3s)).slot, 0) << "slot 1 is within its guard";
    EXPECT_THAT(leases_of(s), ElementsAre(2, nobody)) << "the lease goes with the slot";
}

TEST(sharing, leaves_the_slot_of_another_while_there_is_a_free_one) {
    auto s = sharing_scheduler();
    s.request({.prompt = "Dear", .owner = 2, .lease = 1});
    EXPECT_EQ(only_grant(s, at(4s)).slot, 1) << "though slot 0 holds all";
    EXPECT_THAT(leases_of(s), ElementsAre(1, 2));
}

TEST(sharing, ends_a_lease_where_the_taker_wants_none) {
    auto s = sharing_scheduler();
    s.request({.owner = 2});
    EXPECT_EQ(only_grant(s, at(3s)).slot, 0);
    EXPECT_THAT(leases_of(s), ElementsAre(nobody, nobody));
}

TEST(sharing, is_for_turns_only) {
    auto s = sharing_scheduler();
    s.request({.priority = priority::continuation, .owner = 2, .lease = 1});
    s.request({.priority = priority::warming, .owner = 3, .lease = 1});
    EXPECT_THAT(s.take_grants(at(3s)), IsEmpty());
}

TEST(sharing, is_not_for_an_owner_with_all_its_slots) {
    auto s = sharing_scheduler();
    s.request({.owner = 2, .lease = 1});
    s.release(only_grant(s, at(4s)).slot, at(4s));
    s.request({.owner = 2, .lease = 1});
    EXPECT_THAT(s.take_grants(at(5s)), IsEmpty()) << "it waits for slot 1, though slot 0 is ready";
    EXPECT_EQ(s.next_grant(), at(6s));
}

TEST(sharing, waits_for_the_guard_that_ends_first) {
    auto s = sharing_scheduler();
    const auto t = s.request({.owner = 2, .lease = 1});
    EXPECT_THAT(s.take_grants(at(2s)), IsEmpty());
    EXPECT_EQ(s.next_grant(), at(3s));
    EXPECT_EQ(s.find_wait_reason(t, at(2s)).value().guarded_slot, 0);
}

TEST(sharing, waits_for_a_free_slot_where_both_guards_end_together) {
    slot_scheduler s(2, guard);
    s.allow_lease_sharing(true);
    s.request({.owner = 1, .lease = 1});
    s.request();
    s.take_grants(at(0s));
    for (const int slot : {0, 1}) s.release(slot, at(1s));
    const auto t = s.request({.owner = 2, .lease = 1});
    EXPECT_EQ(s.find_wait_reason(t, at(1s)).value().guarded_slot, 1)
        << "though slot 0 is next in turn";
}

TEST(sharing, takes_no_slot_in_use) {
    auto s = sharing_scheduler();
    s.request({.owner = 1, .lease = 1});
    EXPECT_EQ(only_grant(s, at(3s)).slot, 0);
    const auto t = s.request({.owner = 2, .lease = 1});
    EXPECT_THAT(s.take_grants(at(3s)), IsEmpty());
    EXPECT_EQ(s.find_wait_reason(t, at(3s)).value().guarded_slot, 1);
}

TEST(sharing, leaves_who_lost_a_slot_free_to_take_another) {
    auto s = sharing_scheduler();
    s.request({.owner = 2, .lease = 1});
    EXPECT_EQ(only_grant(s, at(3s)).slot, 0);
    s.request({.priority = priority::continuation, .owner = 1, .lease = 1});
    EXPECT_EQ(only_grant(s, at(4s)).slot, 1);
}

// --- the reason for a wait

TEST(wait_beside_leases, tells_that_all_slots_are_leased_to_others) {
    slot_scheduler s(2, 0s);
    use_one(s, 1, 2);
    s.request({.owner = 2, .lease = 1});
    const auto t = s.request({.owner = 3, .lease = 1});
    EXPECT_THAT(s.take_grants(at(2s)), IsEmpty());
    EXPECT_EQ(describe_wait(s.find_wait_reason(t, at(2s)).value()),
              "waits for a slot: 2 leased to other conversations, 1 waiting before it");
}

TEST(wait_beside_leases, tells_what_the_other_slots_do) {
    slot_scheduler s(4, 0s);
    use_one(s, 1, 2);
    s.request();
    EXPECT_EQ(only_grant(s, at(1s)).slot, 2);
    s.set_server_state(3, server_slot_state::busy);
    const auto t = s.request();
    EXPECT_THAT(s.take_grants(at(2s)), IsEmpty());
    EXPECT_EQ(describe_wait(s.find_wait_reason(t, at(2s)).value()),
              "waits for a slot: 2 leased to other conversations, 1 in use or promised, 1 stuck at "
              "the server, 0 waiting before it");
}

TEST(wait_beside_leases, counts_a_leased_slot_that_is_stuck_once) {
    slot_scheduler s(2, 0s);
    use_one(s, 1, 2);
    s.set_server_state(0, server_slot_state::busy);
    const auto t = s.request();
    EXPECT_THAT(s.take_grants(at(2s)), IsEmpty());
    EXPECT_EQ(describe_wait(s.find_wait_reason(t, at(2s)).value()),
              "waits for a slot: 1 leased to other conversations, 1 stuck at the server, 0 waiting "
              "before it");
}

TEST(wait_beside_leases, tells_that_only_the_owners_own_slots_will_do) {
    slot_scheduler s(3, 0s);
    s.request({.owner = 1, .lease = 1});
    s.take_grants(at(0s));
    const auto one = s.request({.owner = 1, .lease = 1});
    EXPECT_THAT(s.take_grants(at(0s)), IsEmpty());
    EXPECT_EQ(describe_wait(s.find_wait_reason(one, at(0s)).value()),
              "waits for its own slot, which is in use or promised");
    s.request({.owner = 1, .lease = 2});
    s.take_grants(at(0s));
    const auto two = s.request({.owner = 1, .lease = 2});
    EXPECT_EQ(describe_wait(s.find_wait_reason(two, at(0s)).value()),
              "waits for one of its own 2 slots, all in use or promised");
}

TEST(wait_beside_leases, counts_leased_slots_that_may_be_taken_as_in_use) {
    slot_scheduler s(1, 0s);
    s.allow_lease_sharing(true);
    s.request({.owner = 1, .lease = 1});
    s.take_grants(at(0s));
    const auto t = s.request({.owner = 2, .lease = 1});
    EXPECT_EQ(describe_wait(s.find_wait_reason(t, at(0s)).value()),
              "waits for a slot: 1 in use or promised, 0 waiting before it");
}

}  // namespace
