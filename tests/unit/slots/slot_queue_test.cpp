// The order in which tickets are served, and tickets that hold up others.

#include "slot_uses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::slots::default_queue_limit;
using tandem::slots::describe_wait;
using tandem::slots::no_ticket;
using tandem::slots::priority;
using tandem::slots::slot_request;
using tandem::slots::slot_scheduler;
using tandem::slots::ticket;
using tandem::test::at;
using tandem::test::guard;
using tandem::test::only_grant;
using tandem::test::use_all;
using testing::ElementsAre;
using testing::IsEmpty;

/// The tickets in the order in which one slot serves them.
std::vector<ticket> served_by_one_slot(const std::vector<slot_request>& wishes) {
    slot_scheduler s(1, 0s);
    for (const auto& w : wishes) s.request(w);
    std::vector<ticket> served;
    for (auto given = s.take_grants(at(0s)); !given.empty(); given = s.take_grants(at(0s))) {
        served.push_back(given.at(0).ticket);
        s.release(0, at(0s));
    }
    return served;
}

TEST(queue, serves_rescues_then_turns_then_continuations_then_prefilling) {
    EXPECT_THAT(served_by_one_slot({{.priority = priority::warming},
                                    {.priority = priority::continuation},
                                    {.priority = priority::turn},
                                    {.priority = priority::rescue}}),
                ElementsAre(4, 3, 2, 1));
}

TEST(queue, serves_the_lower_ranks_of_a_priority_first) {
    EXPECT_THAT(served_by_one_slot({{.priority = priority::continuation, .rank = 0},
                                    {.priority = priority::turn, .rank = 2},
                                    {.priority = priority::turn, .rank = 1},
                                    {.priority = priority::turn, .rank = 1},
                                    {.priority = priority::turn, .rank = 0}}),
                ElementsAre(5, 3, 4, 2, 1));
}

TEST(queue, leaves_a_slot_out_that_is_to_be_avoided_where_another_is_ready) {
    slot_scheduler s(2, 0s);
    s.request({.prompt = "Anna"});
    s.release(only_grant(s, at(0s)).slot, at(0s), {.holds = "Anna"});
    s.request({.prompt = "Anna", .avoid = 0});
    EXPECT_EQ(only_grant(s, at(1s)).slot, 1);
}

TEST(queue, gives_a_slot_that_is_to_be_avoided_where_the_others_are_in_use) {
    slot_scheduler s(2, 0s);
    s.request();
    const auto used = only_grant(s, at(0s)).slot;
    s.request({.avoid = 1 - used});
    EXPECT_EQ(only_grant(s, at(1s)).slot, 1 - used);
}

TEST(queue, serves_a_ticket_that_was_raised_with_those_of_its_new_priority) {
    slot_scheduler s(1, 0s);
    const auto first = s.request({.priority = priority::rescue});
    const auto raised = s.request({.priority = priority::continuation});
    const auto last = s.request({.priority = priority::rescue});
    s.request({.priority = priority::turn});
    s.raise(raised, priority::rescue);
    for (const auto t : {first, raised, last}) {
        EXPECT_EQ(only_grant(s, at(0s)).ticket, t);
        s.release(0, at(0s));
    }
}

TEST(queue, raises_no_ticket_to_a_lower_priority) {
    slot_scheduler s(1, 0s);
    const auto rescue = s.request({.priority = priority::rescue});
    s.request({.priority = priority::turn});
    s.raise(rescue, priority::continuation);
    EXPECT_EQ(only_grant(s, at(0s)).ticket, rescue);
}

TEST(queue, gives_a_slot_that_is_to_be_avoided_where_it_is_the_only_one) {
    slot_scheduler s(1, 0s);
    s.request({.avoid = 0});
    EXPECT_EQ(only_grant(s, at(0s)).slot, 0);
}

TEST(queue, serves_first_come_first_within_a_priority) {
    const std::vector<slot_request> wishes{
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
    EXPECT_EQ(s.take_grants(at(3s)).at(0).ticket, live);
}

/// Slot 0 is leased to owner 1, slot 1 is not leased. They are released at `first` and `second`.
slot_scheduler half_leased(tandem::duration first, tandem::duration second) {
    slot_scheduler s(2, guard);
    s.request({.owner = 1, .lease = 1});
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(first));
    s.release(1, at(second));
    return s;
}

TEST(queue, lets_a_later_ticket_have_the_slot_that_is_not_for_the_first) {
    auto s = half_leased(1s, 2s);
    const auto first = s.request();
    const auto second = s.request({.owner = 1, .lease = 1});
    EXPECT_EQ(only_grant(s, at(3s)).ticket, second);
    EXPECT_EQ(s.next_grant(), at(4s));
    EXPECT_EQ(only_grant(s, at(4s)).ticket, first);
}

TEST(queue, passes_a_ticket_by_for_which_there_is_no_idle_slot) {
    auto s = half_leased(1s, 1s);
    s.request();
    EXPECT_EQ(only_grant(s, at(3s)).slot, 1);
    const auto first = s.request();
    const auto second = s.request({.priority = priority::continuation, .owner = 1, .lease = 1});
    EXPECT_EQ(only_grant(s, at(3s)).ticket, second);
    EXPECT_EQ(describe_wait(s.find_wait_reason(first, at(3s)).value()),
              "waits for a slot: 1 leased to other conversations, 1 in use or promised, 0 waiting "
              "before it");
}

TEST(queue, keeps_the_slot_that_a_ticket_was_promised) {
    auto s = half_leased(1s, 2s);
    const auto first = s.request();
    const auto second = s.request({.owner = 2, .lease = 1});
    EXPECT_THAT(s.take_grants(at(3s)), IsEmpty());
    EXPECT_EQ(s.find_wait_reason(first, at(3s)).value().guarded_slot, 1);
    EXPECT_EQ(s.find_wait_reason(second, at(3s)).value().guarded_slot, std::nullopt);
    EXPECT_EQ(only_grant(s, at(4s)).ticket, first);
}

TEST(queue, tells_the_first_of_several_guards) {
    auto s = half_leased(1s, 2s);
    s.request();
    s.request({.owner = 1, .lease = 1});
    EXPECT_THAT(s.take_grants(at(2s)), IsEmpty());
    EXPECT_EQ(s.next_grant(), at(3s));
}

TEST(queue, counts_the_guard_of_each_tickets_own_slot) {
    auto s = half_leased(1s, 2s);
    s.request();
    s.request({.owner = 1, .lease = 1});
    EXPECT_THAT(s.take_grants(at(2s)), IsEmpty());
    EXPECT_EQ(only_grant(s, at(3s)).guard_wait, 1s);
    EXPECT_EQ(only_grant(s, at(4s)).guard_wait, 2s);
}

TEST(queue, lets_an_owner_prefill_its_own_slot_while_others_wait_for_theirs) {
    auto s = half_leased(1s, 2s);
    s.request();
    const auto warming = s.request({.priority = priority::warming, .owner = 1, .lease = 1});
    EXPECT_EQ(only_grant(s, at(3s)).ticket, warming);
}

TEST(queue, lets_no_prefilling_take_what_a_live_ticket_of_its_owner_could_have) {
    slot_scheduler s(2, 0s);
    s.request({.owner = 1, .lease = 2});
    s.release(only_grant(s, at(0s)).slot, at(0s));
    s.request({.prompt = "Dear Anna", .priority = priority::warming, .owner = 1, .lease = 2});
    const int warmed = only_grant(s, at(0s)).slot;
    s.request({.prompt = "Dear Anna", .warmed = warmed, .owner = 1, .lease = 2});
    s.request({.priority = priority::warming, .owner = 1, .lease = 2});
    EXPECT_THAT(s.take_grants(at(0s)), IsEmpty());
    EXPECT_EQ(s.next_grant(), std::nullopt);
}

TEST(queue, lets_prefilling_take_a_slot_that_no_live_ticket_could_have) {
    slot_scheduler s(3, 0s);
    s.request({.owner = 1, .lease = 1});
    s.release(only_grant(s, at(0s)).slot, at(0s), {.holds = "Bert"});
    s.request({.priority = priority::warming, .owner = 2});
    const int warmed = only_grant(s, at(0s)).slot;
    s.request();
    s.release(only_grant(s, at(0s)).slot, at(0s), {.holds = "Bert!"});
    s.request({.prompt = "Anna", .warmed = warmed, .owner = 2});
    s.request({.prompt = "Bert!", .priority = priority::warming, .owner = 1, .lease = 2});
    EXPECT_EQ(only_grant(s, at(0s)).slot, 0) << "owner 2 could have slot 2";
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
    s.take_grants(at(0s));
    EXPECT_NE(s.request(), no_ticket);
    EXPECT_EQ(s.request(), no_ticket);
}

TEST(queue, queues_nothing_for_a_turn_that_it_refuses) {
    slot_scheduler s(2, 0s);
    s.set_queue_limit(1);
    s.request();
    s.request();
    EXPECT_EQ(s.take_grants(at(0s)).size(), 1u);
    EXPECT_THAT(s.take_grants(at(0s)), IsEmpty());
}

TEST(queue, always_takes_what_belongs_to_a_reply_that_began) {
    slot_scheduler s(1, 0s);
    s.set_queue_limit(1);
    for (int i = 0; i < 3; ++i) {
        EXPECT_NE(s.request({.priority = priority::rescue}), no_ticket);
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

TEST(queue, of_a_thousand_gives_each_ticket_its_slot_once) {
    slot_scheduler s(256, guard);
    for (ticket owner = 1; owner <= 1000; ++owner)
        ASSERT_EQ(s.request({.prompt = "Dear", .owner = owner, .lease = 1}), owner);
    std::set<ticket> served;
    for (duration now{}; served.size() < 1000 && now < 100s; now += guard)
        for (const auto& g : s.take_grants(at(now))) {
            EXPECT_TRUE(served.insert(g.ticket).second);
            s.release(g.slot, at(now));
            s.release_owner(g.ticket);
        }
    EXPECT_EQ(served.size(), 1000u);
}

TEST(slot_queue, tells_when_each_ticket_gets_its_slot_if_nothing_else_happens) {
    slot_scheduler s(2, guard);
    use_all(s, {0s, 1s});
    const auto first = s.request();
    const auto second = s.request();
    s.request();
    const auto dues = s.due_grants();
    ASSERT_EQ(dues.size(), 2u) << "the third one waits for the others";
    EXPECT_EQ(dues[0].ticket, first);
    EXPECT_EQ(dues[1].ticket, second);
    EXPECT_EQ(dues[0].at, *s.next_grant());
    EXPECT_LE(dues[0].at, dues[1].at);
}

TEST(slot_queue, counts_the_requests_that_wait_without_those_that_prefill) {
    slot_scheduler s(1, 0s);
    s.request({.priority = priority::warming});
    s.request({.priority = priority::turn});
    s.request({.priority = priority::continuation});
    EXPECT_EQ(s.count_waiting_requests(), 2);
    s.take_grants(at(0s));
    EXPECT_EQ(s.count_waiting_requests(), 1);
}

}  // namespace
