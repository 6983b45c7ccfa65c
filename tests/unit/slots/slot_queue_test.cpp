// The order in which tickets are served, and tickets that make others wait.

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
using tandem::slots::request_kind;
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

TEST(queue, serves_what_is_due_first_whatever_its_kind_and_background_last) {
    EXPECT_THAT(served_by_one_slot({{.kind = request_kind::background, .due = at(1s)},
                                    {.kind = request_kind::continuation, .due = at(4s)},
                                    {.kind = request_kind::turn, .due = at(3s)},
                                    {.kind = request_kind::continuation, .due = at(2s)}}),
                ElementsAre(4, 3, 2, 1));
}

TEST(queue, serves_first_come_first_of_what_is_due_at_the_same_time) {
    EXPECT_THAT(served_by_one_slot({{.due = at(1s)}, {.due = at(1s)}, {.due = at(1s)}}),
                ElementsAre(1, 2, 3));
}

TEST(queue, leaves_a_slot_out_that_is_to_be_avoided_if_another_is_ready) {
    slot_scheduler s(2, 0s);
    s.request({.prompt = "Anna"});
    s.release(only_grant(s, at(0s)).slot, at(0s), {.holds = "Anna"});
    s.request({.prompt = "Anna", .avoid = 0});
    EXPECT_EQ(only_grant(s, at(1s)).slot, 1);
}

TEST(queue, gives_a_slot_that_is_to_be_avoided_if_the_others_are_in_use) {
    slot_scheduler s(2, 0s);
    s.request();
    const auto used = only_grant(s, at(0s)).slot;
    s.request({.avoid = 1 - used});
    EXPECT_EQ(only_grant(s, at(1s)).slot, 1 - used);
}

TEST(queue, moves_a_ticket_whose_due_time_changes) {
    slot_scheduler s(1, 0s);
    const auto first = s.request({.due = at(1s)});
    const auto second = s.request({.due = at(2s)});
    const auto third = s.request({.due = at(3s)});
    s.set_due(first, at(4s));
    s.set_due(third, at(1s));
    for (const auto t : {third, second, first}) {
        EXPECT_EQ(only_grant(s, at(0s)).ticket, t);
        s.release(0, at(0s));
    }
}

TEST(queue, counts_a_reply_of_high_priority_as_due_half_a_second_earlier) {
    using tandem::reply_priority;
    using tandem::slots::priority_shift;
    EXPECT_EQ(priority_shift(reply_priority::high), -500ms);
    EXPECT_EQ(priority_shift(reply_priority::normal), 0s);
    EXPECT_EQ(priority_shift(reply_priority::low), 500ms);
}

TEST(queue, gives_a_slot_that_is_to_be_avoided_if_it_is_the_only_one) {
    slot_scheduler s(1, 0s);
    s.request({.avoid = 0});
    EXPECT_EQ(only_grant(s, at(0s)).slot, 0);
}

TEST(queue, holds_prefilling_back_for_continuations_too) {
    slot_scheduler s(2, guard);
    use_all(s, {1s, 1s});
    s.request({.kind = request_kind::background});
    const auto live = s.request({.kind = request_kind::continuation});
    s.withdraw(s.request());
    EXPECT_EQ(s.take_grants(at(3s)).at(0).ticket, live);
}

/// A ticket that requires slot 1, and a ticket that takes any slot. The slots were released at
/// these times.
struct two_waiting {
    explicit two_waiting(std::vector<duration> ends) { use_all(s, ends); }

    slot_scheduler s{2, guard};
    ticket first = s.request({.due = at(0s), .required_slot = 1});
    ticket second = s.request({.due = at(1s)});
};

TEST(queue, lets_a_later_ticket_have_the_slot_that_is_not_for_the_first) {
    two_waiting w({1s, 2s});
    EXPECT_EQ(only_grant(w.s, at(3s)).ticket, w.second);
    EXPECT_EQ(next_grant(w.s), at(4s));
    EXPECT_EQ(only_grant(w.s, at(4s)).ticket, w.first);
}

TEST(queue, keeps_the_slot_that_a_ticket_was_promised) {
    two_waiting w({2s, 1s});
    EXPECT_EQ(w.s.find_wait_reason(w.first, at(2s)).value().guarded_slot, 1);
    EXPECT_EQ(w.s.find_wait_reason(w.second, at(2s)).value().guarded_slot, 0);
    EXPECT_EQ(only_grant(w.s, at(3s)).ticket, w.first);
    EXPECT_EQ(only_grant(w.s, at(4s)).ticket, w.second);
}

TEST(queue, reports_the_first_of_several_guards) {
    two_waiting w({1s, 2s});
    EXPECT_THAT(w.s.take_grants(at(2s)), IsEmpty());
    EXPECT_EQ(next_grant(w.s), at(3s));
}

TEST(queue, counts_the_guard_of_each_tickets_own_slot) {
    two_waiting w({1s, 2s});
    EXPECT_THAT(w.s.take_grants(at(2s)), IsEmpty());
    EXPECT_EQ(only_grant(w.s, at(3s)).guard_wait, 1s);
    EXPECT_EQ(only_grant(w.s, at(4s)).guard_wait, 2s);
}

TEST(queue, knows_which_part_of_its_lead_a_continuation_loses) {
    slot_scheduler s(1, 0s);
    s.request({.due = at(0s)});
    const int slot = only_grant(s, at(0s)).slot;
    s.request({.kind = request_kind::continuation, .due = at(4s)});
    EXPECT_THAT(s.take_grants(at(0s)), IsEmpty());
    s.release(slot, at(3s));
    only_grant(s, at(3s));
    EXPECT_EQ(s.find_lead_loss(at(3s)), 0.75) << "3 of 4 s";
    EXPECT_EQ(s.find_lead_loss(at(60s)), 0) << "that was long ago";
}

TEST(queue, knows_which_part_of_its_lead_a_continuation_loses_before_any_gets_a_slot) {
    slot_scheduler s(1, 0s);
    s.request({.due = at(0s)});
    only_grant(s, at(0s));
    s.request({.kind = request_kind::continuation, .due = at(8s)});
    EXPECT_THAT(s.take_grants(at(0s)), IsEmpty());
    EXPECT_EQ(s.find_lead_loss(at(2s)), 0.25);
    EXPECT_EQ(s.find_lead_loss(at(9s)), 1);
}

TEST(queue, counts_no_lead_of_requests_from_other_processes) {
    slot_scheduler s(1, 0s);
    s.request({.due = at(0s)});
    const int slot = only_grant(s, at(0s)).slot;
    s.request({.kind = request_kind::continuation, .due = at(4s), .is_from_elsewhere = true});
    EXPECT_THAT(s.take_grants(at(0s)), IsEmpty());
    EXPECT_EQ(s.find_lead_loss(at(3s)), 0);
    s.release(slot, at(3s));
    only_grant(s, at(3s));
    EXPECT_EQ(s.find_lead_loss(at(3s)), 0);
}

TEST(queue, counts_no_lead_of_requests_that_are_due_at_once) {
    slot_scheduler s(1, 0s);
    s.request({.due = at(0s)});
    const int slot = only_grant(s, at(0s)).slot;
    s.request({.kind = request_kind::continuation, .due = at(0s)});
    EXPECT_THAT(s.take_grants(at(0s)), IsEmpty());
    s.release(slot, at(3s));
    only_grant(s, at(3s));
    EXPECT_EQ(s.find_lead_loss(at(3s)), 0);
}

TEST(queue, lets_no_prefilling_take_what_a_live_ticket_could_have) {
    slot_scheduler s(2, 0s);
    s.request({.owner = 1});
    s.release(only_grant(s, at(0s)).slot, at(0s));
    s.request({.prompt = "Dear Anna", .kind = request_kind::background, .owner = 1});
    const int warmed = only_grant(s, at(0s)).slot;
    s.request({.prompt = "Dear Anna", .warmed = warmed, .owner = 1});
    s.request({.kind = request_kind::background, .owner = 1});
    EXPECT_THAT(s.take_grants(at(0s)), IsEmpty());
    EXPECT_EQ(next_grant(s), std::nullopt);
}

TEST(queue, describes_what_a_ticket_waits_for) {
    slot_scheduler s(2, 0s);
    s.request();
    s.request();
    s.take_grants(at(0s));
    s.request();
    const auto last = s.request();
    EXPECT_EQ(describe_wait(s.find_wait_reason(last, at(0s)).value()),
              "waits for a slot: 2 in use or promised, 1 waiting before it");
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
        EXPECT_NE(s.request({.kind = request_kind::continuation}), no_ticket);
        EXPECT_NE(s.request({.kind = request_kind::background}), no_ticket);
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
        ASSERT_EQ(s.request({.prompt = "Dear", .owner = owner}), owner);
    std::set<ticket> served;
    for (duration now{}; served.size() < 1000 && now < 100s; now += guard)
        for (const auto& g : s.take_grants(at(now))) {
            EXPECT_TRUE(served.insert(g.ticket).second);
            s.release(g.slot, at(now));
            s.release_owner(g.ticket);
        }
    EXPECT_EQ(served.size(), 1000u);
}

TEST(slot_queue, reports_when_each_ticket_gets_its_slot_if_nothing_else_happens) {
    slot_scheduler s(2, guard);
    use_all(s, {0s, 1s});
    const auto first = s.request();
    const auto second = s.request();
    s.request();
    const auto dues = s.due_grants();
    ASSERT_EQ(dues.size(), 2u) << "the third one waits for the others";
    EXPECT_EQ(dues[0].ticket, first);
    EXPECT_EQ(dues[1].ticket, second);
    EXPECT_EQ(dues[0].at, *next_grant(s));
    EXPECT_LE(dues[0].at, dues[1].at);
}

TEST(slot_queue, counts_the_requests_that_wait_without_those_that_prefill) {
    slot_scheduler s(1, 0s);
    s.request({.kind = request_kind::background});
    s.request({.kind = request_kind::turn});
    s.request({.kind = request_kind::continuation});
    EXPECT_EQ(s.count_waiting_requests(), 2);
    s.take_grants(at(0s));
    EXPECT_EQ(s.count_waiting_requests(), 1);
}

}  // namespace
