// When the monitor polls /slots after a cut, and how it interprets the answers.

#include "slots/slot_release_monitor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::slot_state;
using tandem::time_point;
using tandem::slots::max_failed_polls;
using tandem::slots::release_report;
using tandem::slots::server_slot_state;
using tandem::slots::slot_release_monitor;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr time_point start{1h};

// The possible states of a slot after its request was cut.
constexpr auto before_first_token = server_slot_state::maybe_busy;
constexpr auto in_mid_stream = server_slot_state::idle;

std::string in_words(const release_report& n) {
    const char* side = n.side == server_slot_state::idle   ? "idle"
                       : n.side == server_slot_state::busy ? "busy"
                                                           : "maybe busy";
    return std::to_string(n.slot) + " " + side + (n.was_stuck ? " again" : "") + " after " +
           std::to_string(n.since_cut / 1ms);
}

/// A clock and a server with the busy slots that the test sets.
class release_watching : public testing::Test {
 protected:
    void cut(int slot, server_slot_state when = in_mid_stream) {
        watch.record_cut(slot, start + now, when);
    }
    void on_granted(int slot) { watch.on_granted(slot, start + now); }

    /// Answers each poll immediately, until `end`.
    void run_until(duration end) {
        for (auto due = watch.next_poll_at(); due && *due <= start + end;
             due = watch.next_poll_at()) {
            now = std::max(*due - start, now);
            looks.push_back(now / 1ms);
            watch.on_poll_started(start + now);
            note(watch.record_poll_result(server(), start + now));
        }
        now = end;
    }
    void note(const std::vector<release_report>& list) {
        for (const auto& n : list) news.push_back(in_words(n));
    }
    std::vector<slot_state> server() const {
        std::vector<slot_state> slots(3);
        for (int id = 0; id < 3; ++id) {
            slots[static_cast<std::size_t>(id)].id = id;
            slots[static_cast<std::size_t>(id)].processing = busy.contains(id);
        }
        return slots;
    }

    slot_release_monitor watch;
    duration now{};
    std::set<int> busy;
    std::vector<long> looks;
    std::vector<std::string> news;
};

TEST(slot_release_monitor, reports_what_a_slot_is_until_it_was_looked_at) {
    slot_release_monitor watch;
    EXPECT_EQ(watch.record_cut(0, start, in_mid_stream), server_slot_state::unverified);
    EXPECT_EQ(watch.record_cut(1, start, before_first_token), server_slot_state::maybe_busy);
}

TEST_F(release_watching, is_nothing_without_a_cut) {
    EXPECT_FALSE(watch.next_poll_at());
}

TEST_F(release_watching, ends_with_the_first_look_that_sees_the_slot_idle) {
    cut(0);
    run_until(10s);
    EXPECT_THAT(looks, ElementsAre(20));
    EXPECT_THAT(news, ElementsAre("0 idle after 20"));
}

TEST_F(release_watching, looks_less_and_less_often_after_a_cut_in_mid_stream) {
    busy = {0};
    cut(0);
    run_until(7s);
    EXPECT_THAT(looks, ElementsAre(20, 100, 500, 2500, 4500, 6500));
}

TEST_F(release_watching, tells_a_stuck_slot_once_and_when_it_is_idle) {
    busy = {0};
    cut(0);
    run_until(7s);
    EXPECT_THAT(news, ElementsAre("0 busy after 2500"));
    busy = {};
    run_until(20s);
    EXPECT_THAT(news, ElementsAre("0 busy after 2500", "0 idle again after 8500"));
    EXPECT_FALSE(watch.next_poll_at());
}

TEST_F(release_watching, leaves_the_server_its_second_after_a_cut_before_the_first_token) {
    busy = {0};
    cut(0, before_first_token);
    run_until(13s);
    EXPECT_THAT(looks, ElementsAre(1200, 3200, 5200, 7200, 9200, 11200));
    EXPECT_THAT(news, ElementsAre("0 busy after 11200"));
}

TEST_F(release_watching, asks_once_for_slots_that_are_due_together) {
    cut(0);
    cut(1);
    run_until(1s);
    EXPECT_THAT(looks, ElementsAre(20));
    EXPECT_THAT(news, ElementsAre("0 idle after 20", "1 idle after 20"));
}

TEST_F(release_watching, is_slow_for_all_slots_while_one_may_be_in_prefill) {
    busy = {0, 1};
    cut(0, before_first_token);
    run_until(300ms);
    cut(1);
    run_until(4s);
    EXPECT_THAT(looks, ElementsAre(1200, 3200));
    busy = {1};
    // Slot 0 is idle now, so the polls follow the times of slot 1.
    run_until(8s);
    EXPECT_THAT(looks, ElementsAre(1200, 3200, 5200, 7200));
    cut(2);
    busy = {2};
    run_until(8600ms);
    EXPECT_THAT(looks, ElementsAre(1200, 3200, 5200, 7200, 8020, 8100, 8500));
}

TEST_F(release_watching, rests_from_the_look_before_if_one_may_be_in_prefill) {
    busy = {0};
    cut(0);
    run_until(500ms);
    cut(1, before_first_token);
    busy = {0, 1};
    run_until(5s);
    EXPECT_THAT(looks, ElementsAre(20, 100, 500, 2500, 4500));
}

TEST_F(release_watching, ends_when_the_slot_has_its_next_request) {
    busy = {0};
    cut(0);
    run_until(50ms);
    on_granted(0);
    EXPECT_FALSE(watch.next_poll_at());
    run_until(1min);
    EXPECT_THAT(news, IsEmpty());
}

TEST_F(release_watching, takes_care_of_a_cut_in_prefill_also_when_its_slot_has_the_next_request) {
    busy = {0, 1};
    cut(0, before_first_token);
    on_granted(0);
    EXPECT_FALSE(watch.next_poll_at());
    run_until(100ms);
    cut(1);
    run_until(4s);
    EXPECT_THAT(looks, ElementsAre(1200, 3200));
    run_until(10s);
    looks.clear();
    cut(1);
    run_until(10600ms);
    EXPECT_THAT(looks, ElementsAre(10020, 10100, 10500));
}

TEST_F(release_watching, starts_again_with_the_next_cut) {
    busy = {0};
    cut(0);
    run_until(3s);
    on_granted(0);
    busy = {};
    cut(0);
    run_until(4s);
    EXPECT_THAT(news, ElementsAre("0 busy after 2500", "0 idle after 20"));
}

TEST_F(release_watching, has_one_look_at_a_time) {
    cut(0);
    watch.on_poll_started(start + 20ms);
    now = 25ms;
    cut(1);
    EXPECT_FALSE(watch.next_poll_at());
    note(watch.record_poll_result(server(), start + 300ms));
    EXPECT_TRUE(watch.next_poll_at());
}

TEST_F(release_watching, believes_no_answer_to_a_question_from_before_the_cut) {
    cut(0);
    watch.on_poll_started(start + 20ms);
    now = 25ms;
    cut(1);
    note(watch.record_poll_result(server(), start + 30ms));
    EXPECT_THAT(news, ElementsAre("0 idle after 30"));
    EXPECT_EQ(watch.next_poll_at(), start + 45ms);
}

TEST_F(release_watching, takes_a_slot_that_the_server_does_not_have_any_more_for_idle) {
    cut(7);
    run_until(1s);
    EXPECT_THAT(news, ElementsAre("7 idle after 20"));
}

TEST_F(release_watching, looks_again_at_the_next_time_after_a_failure) {
    cut(0);
    watch.on_poll_started(start + 20ms);
    EXPECT_THAT(watch.record_poll_failure(start + 30ms), IsEmpty());
    EXPECT_EQ(watch.next_poll_at(), start + 100ms);
}

TEST_F(release_watching, ends_after_too_many_failures_in_a_row) {
    cut(0);
    for (int i = 0; i < max_failed_polls; ++i) {
        ASSERT_TRUE(watch.next_poll_at());
        watch.on_poll_started(*watch.next_poll_at());
        note(watch.record_poll_failure(start + std::chrono::seconds(i)));
    }
    EXPECT_FALSE(watch.next_poll_at());
    EXPECT_THAT(news, IsEmpty());
}

TEST_F(release_watching, does_not_leave_a_slot_set_aside_when_it_ends) {
    busy = {0};
    cut(0);
    run_until(3s);
    note(watch.give_up(start + 4s));
    EXPECT_THAT(news, ElementsAre("0 busy after 2500", "0 maybe busy again after 4000"));
    EXPECT_FALSE(watch.next_poll_at());
}

TEST_F(release_watching, pauses_if_no_reply_has_used_a_slot_for_a_while) {
    busy = {0};
    cut(0);
    run_until(9s);
    const auto unused_since = start;
    EXPECT_EQ(watch.next_poll_at(unused_since), std::nullopt) << "it is due after 10.5 s";
    EXPECT_EQ(watch.next_poll_at(unused_since + 1s), start + 10500ms);
    EXPECT_EQ(watch.next_poll_at(), start + 10500ms);
}

TEST_F(release_watching, never_polls_a_server_quickly_that_has_a_stuck_slot) {
    busy = {0};
    cut(0);
    run_until(10min);
    EXPECT_LE(looks.size(), 303u);
}

}  // namespace
