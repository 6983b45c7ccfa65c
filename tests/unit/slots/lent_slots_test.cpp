// Slots that several processes lend to each other.

#include "slot_uses.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <utility>

namespace {

using namespace std::chrono_literals;
using tandem::slots::describe_wait;
using tandem::slots::request_kind;
using tandem::slots::slot_request;
using tandem::slots::slot_scheduler;
using tandem::slots::slot_shortage;
using tandem::test::at;
using tandem::test::only_grant;

/// Two slots, of which this process has the first.
class lent_slots : public testing::Test {
 protected:
    lent_slots() {
        s.share_slots();
        s.bring_back(0, std::nullopt, false);
    }

    slot_scheduler s{2, 0s};
};

TEST_F(lent_slots, are_not_granted_while_they_are_away) {
    s.request();
    s.request();
    EXPECT_EQ(only_grant(s, at(0s)).slot, 0);
}

TEST_F(lent_slots, are_not_to_spare_while_other_processes_use_them) {
    EXPECT_TRUE(s.has_slot_to_spare());
    s.set_other_process_usage({.processes = 1, .running = 2});
    EXPECT_FALSE(s.has_slot_to_spare());
}

TEST_F(lent_slots, are_not_said_to_be_in_use) {
    s.request();
    only_grant(s, at(0s));
    const auto t = s.request();
    EXPECT_EQ(describe_wait(s.find_wait_reason(t, at(0s)).value()),
              "waits for a slot: 1 in use or promised, 1 not lent to this gateway, 0 waiting "
              "before it");
}

TEST_F(lent_slots, are_said_to_be_checked_if_that_alone_delays_a_request) {
    s.send_away(0);
    s.set_unchecked(1);
    const auto t = s.request();
    EXPECT_EQ(describe_wait(s.find_wait_reason(t, at(0s)).value()),
              "waits until 1 slot that other gateways may use is checked, 0 waiting before it");
}

TEST_F(lent_slots, are_missed_by_the_most_urgent_request_that_waits) {
    s.request({.due = at(1s)});
    EXPECT_EQ(s.find_shortage(at(0s)), std::nullopt);
    s.request({.kind = request_kind::continuation, .due = at(3s)});
    s.request({.due = at(2s)});
    EXPECT_EQ(s.find_shortage(at(0s)), (slot_shortage{request_kind::turn, at(2s)}));
}

TEST_F(lent_slots, are_not_missed_by_a_prefill_or_by_another_process) {
    s.request();
    only_grant(s, at(0s));
    s.request({.kind = request_kind::background});
    s.request({.is_from_elsewhere = true});
    EXPECT_EQ(s.find_shortage(at(0s)), std::nullopt);
}

TEST_F(lent_slots, are_missed_while_the_slot_that_is_here_is_guarded) {
    s.set_guard(2s);
    s.request();
    s.release(only_grant(s, at(0s)).slot, at(1s));
    s.request({.due = at(1s)});
    EXPECT_TRUE(s.find_shortage(at(2s)));
}

TEST_F(lent_slots, are_granted_after_they_are_brought_back_and_their_guard_is_over) {
    s.set_guard(2s);
    s.request();
    only_grant(s, at(0s));
    s.request();
    s.bring_back(1, at(0s), false);
    EXPECT_TRUE(s.take_grants(at(1s)).empty());
    EXPECT_EQ(only_grant(s, at(2s)).slot, 1);
}

TEST_F(lent_slots, go_to_whoever_is_due_first_here_or_elsewhere) {
    s.request({.due = at(2s)});
    const auto other = s.request({.due = at(1s), .is_from_elsewhere = true});
    EXPECT_EQ(only_grant(s, at(0s)).ticket, other);
}

TEST_F(lent_slots, stay_with_a_running_request_until_its_end) {
    s.request();
    only_grant(s, at(0s));
    s.send_away(0);
    s.release(0, at(1s));
    s.request();
    EXPECT_TRUE(s.take_grants(at(1s)).empty());
}

TEST_F(lent_slots, keep_their_text_only_if_nobody_used_them_elsewhere) {
    for (const bool is_untouched : {true, false}) {
        s.request({.owner = 7});
        s.release(only_grant(s, at(1s)).slot, at(1s), {.holds = "text"});
        s.send_away(0);
        EXPECT_TRUE(s.slots_used_by(7).empty());
        s.bring_back(0, at(1s), is_untouched);
        EXPECT_EQ(s.was_last_used_by(0, 7), is_untouched);
    }
}

TEST_F(lent_slots, stay_away_when_the_server_is_found_to_have_more) {
    s.raise_slot_limit(4);
    s.set_slot_count(4);
    for (int i = 0; i < 4; ++i) s.request();
    EXPECT_EQ(only_grant(s, at(0s)).slot, 0);
}

/// Two requests run on the slots of this process for a second and generate 40 tokens each, while
/// other processes run two more requests.
void generate(slot_scheduler& s) {
    s.set_other_process_usage({.processes = 1, .running = 2});
    for (int i = 0; i < 2; ++i) s.bring_back(i, std::nullopt, false);
    for (int i = 0; i < 2; ++i) s.request();
    ASSERT_EQ(s.take_grants(at(0s)).size(), 2u);
    for (int i = 0; i < 2; ++i) s.record_progress(i, {}, at(0s));
    for (int i = 0; i < 2; ++i) s.release(i, at(1s), {.generated = {40, 1s, 40, 1s}});
}

TEST(server_with_lent_slots, generates_what_the_requests_of_all_processes_generate) {
    slot_scheduler s{4, 0s};
    s.share_slots();
    generate(s);
    EXPECT_NEAR(s.find_tokens_per_s(at(1s)).value_or(0), 160, 1);
    EXPECT_EQ(s.find_running_time(at(2s)), 2s);
}

TEST(server_with_lent_slots, runs_no_more_requests_of_all_processes_than_its_limit) {
    slot_scheduler s{16, 0s};
    generate(s);
    for (const auto& [elsewhere, limit] : {std::pair(0, 8), {3, 5}, {8, 4}, {2'000'000'000, 4}}) {
        s.set_other_process_usage({.processes = 1, .running = double(elsewhere)});
        s.take_grants(at(1s));
        EXPECT_EQ(s.max_running(), limit) << elsewhere;
    }
}

}  // namespace
