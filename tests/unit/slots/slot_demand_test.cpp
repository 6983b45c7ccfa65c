// When a request should end at its next sentence because another request is due sooner, and which
// slot loses its text.

#include "slot_uses.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::never;
using tandem::time_point;
using tandem::slots::owner_id;
using tandem::slots::request_kind;
using tandem::slots::slot_scheduler;
using tandem::test::at;
using tandem::test::guard;
using tandem::test::only_grant;

/// One slot, in use from 0 s on.
class slot_demand : public testing::Test {
 protected:
    slot_demand() {
        s.request();
        s.take_grants(at(0s));
    }
    bool is_wanted_by(time_point due_of_other, request_kind kind = request_kind::turn) {
        s.request({.kind = kind, .due = due_of_other});
        return s.should_yield_slot(0, at(9s), at(0s));
    }

    slot_scheduler s{1, 0s};
};

TEST_F(slot_demand, does_not_exist_while_nobody_waits) {
    EXPECT_FALSE(s.should_yield_slot(0, at(9s), at(0s)));
}

TEST_F(slot_demand, exists_for_a_turn_that_is_due) {
    EXPECT_TRUE(is_wanted_by(at(0s)));
}

TEST_F(slot_demand, exists_for_a_continuation_that_is_due_soon) {
    EXPECT_TRUE(is_wanted_by(at(1s), request_kind::continuation));
}

TEST_F(slot_demand, does_not_exist_for_a_reply_whose_listener_has_enough_to_hear) {
    EXPECT_FALSE(is_wanted_by(at(3s)));
}

TEST_F(slot_demand, does_not_exist_for_background_work) {
    EXPECT_FALSE(is_wanted_by(at(0s), request_kind::background));
}

TEST_F(slot_demand, requires_that_a_turn_is_due_a_sentence_sooner) {
    s.request({.kind = request_kind::turn, .due = at(1s)});
    EXPECT_FALSE(s.should_yield_slot(0, at(4s), at(0s)));
    EXPECT_TRUE(s.should_yield_slot(0, at(5s), at(0s)));
}

TEST_F(slot_demand, requires_that_a_continuation_is_due_two_sentences_sooner) {
    s.request({.kind = request_kind::continuation, .due = at(1s)});
    EXPECT_FALSE(s.should_yield_slot(0, at(7s), at(0s)));
    EXPECT_TRUE(s.should_yield_slot(0, at(8s), at(0s)));
}

TEST_F(slot_demand, exists_for_a_turn_after_a_continuation_that_is_not_worth_the_change) {
    s.request({.kind = request_kind::continuation, .due = at(0s)});
    EXPECT_FALSE(s.should_yield_slot(0, at(5s), at(0s)));
    s.request({.kind = request_kind::turn, .due = at(0s)});
    EXPECT_TRUE(s.should_yield_slot(0, at(5s), at(0s)));
}

TEST(slot_demand_of_several_slots, does_not_exist_while_another_slot_becomes_free_soon) {
    slot_scheduler s(2, guard);
    s.request();
    s.request();
    s.take_grants(at(0s));
    s.release(1, at(0s));
    s.request({.due = at(0s)});
    s.take_grants(at(0s));
    EXPECT_FALSE(s.should_yield_slot(0, at(20s), at(0s))) << "it was promised slot 1";
}

TEST(slot_demand_with_a_guard, requires_that_the_guard_is_worth_it) {
    slot_scheduler s(1, guard);
    s.request();
    s.take_grants(at(0s));
    s.request({.due = at(0s)});
    EXPECT_FALSE(s.should_yield_slot(0, at(5s), at(0s))) << "both would wait for the guard";
    EXPECT_TRUE(s.should_yield_slot(0, at(6s), at(0s)));
}

// --- slots kept for turns

/// Four slots without a guard, three of them in use.
class last_idle_slot : public testing::Test {
 protected:
    last_idle_slot() {
        for (int i = 0; i < 3; ++i) s.request();
        s.take_grants(at(0s));
    }
    bool is_granted(request_kind kind, time_point due, time_point now) {
        s.request({.kind = kind, .due = due});
        return !s.take_grants(now).empty();
    }
    slot_scheduler s{4, 0s};
};

TEST_F(last_idle_slot, is_kept_from_a_continuation_whose_listener_has_enough_to_hear) {
    EXPECT_FALSE(is_granted(request_kind::continuation, at(5s), at(0s)));
    EXPECT_TRUE(is_granted(request_kind::turn, at(0s), at(0s)));
}

TEST_F(last_idle_slot, is_given_to_a_continuation_that_becomes_urgent) {
    is_granted(request_kind::continuation, at(5s), at(0s));
    ASSERT_EQ(next_grant(s), at(3s));
    EXPECT_TRUE(s.take_grants(at(2999ms)).empty());
    EXPECT_EQ(s.take_grants(at(3s)).size(), 1u);
}

TEST_F(last_idle_slot, does_not_delay_a_continuation_while_another_slot_is_idle) {
    s.release(0, at(0s));
    EXPECT_TRUE(is_granted(request_kind::continuation, at(5s), at(0s)));
}

TEST_F(last_idle_slot, counts_no_wait_for_it_as_a_guard_wait) {
    const auto waiting = s.request({.kind = request_kind::continuation, .due = at(5s)});
    s.take_grants(at(0s));
    EXPECT_EQ(s.guard_wait(waiting, at(1s)), 0s);
    const auto reason = s.find_wait_reason(waiting, at(1s));
    EXPECT_EQ(reason->guarded_slot, std::nullopt);
    EXPECT_TRUE(reason->is_slot_kept);
}

TEST_F(last_idle_slot, is_not_to_spare) {
    EXPECT_FALSE(s.has_slot_to_spare());
    s.release(0, at(0s));
    EXPECT_TRUE(s.has_slot_to_spare());
}

TEST(a_slot_to_spare, is_any_idle_slot_of_a_small_server) {
    slot_scheduler s(2, 0s);
    EXPECT_TRUE(s.has_slot_to_spare());
    s.request();
    s.take_grants(at(0s));
    EXPECT_TRUE(s.has_slot_to_spare());
    s.request();
    EXPECT_FALSE(s.has_slot_to_spare()) << "a request waits";
    s.take_grants(at(0s));
    EXPECT_FALSE(s.has_slot_to_spare()) << "both are in use";
}

TEST(only_stuck_slots, are_given_to_any_continuation) {
    slot_scheduler s(2, 0s);
    for (const int slot : {0, 1}) s.set_server_state(slot, tandem::slots::server_slot_state::busy);
    s.request({.kind = request_kind::continuation, .due = at(9s)});
    EXPECT_EQ(s.take_grants(at(0s)).size(), 1u);
}

TEST(last_of_two_slots, is_given_to_any_continuation) {
    slot_scheduler s(2, 0s);
    s.request();
    s.request({.kind = request_kind::continuation, .due = at(9s)});
    EXPECT_EQ(s.take_grants(at(0s)).size(), 2u);
}

// --- which slot loses its text

/// Two slots that hold texts of owners 1 and 2. The owners need their texts again at these times.
struct residents {
    residents(time_point first, time_point second) {
        for (const auto owner : {owner_id{1}, owner_id{2}})
            s.request({.prompt = text_of(owner), .owner = owner});
        s.take_grants(at(0s));
        s.release(0, at(0s), {.holds = text_of(1), .needed_at = first});
        s.release(1, at(0s), {.holds = text_of(2), .needed_at = second});
    }
    static std::string text_of(owner_id owner) { return "Dear " + std::to_string(owner) + "!"; }
    int slot_for(owner_id owner, bool was_here = false) {
        s.request({.prompt = text_of(owner), .owner = owner, .was_here = was_here});
        return only_grant(s, at(1s)).slot;
    }

    slot_scheduler s{2, 0s};
};

TEST(residents, are_displaced_in_the_order_in_which_they_need_their_text_last) {
    EXPECT_EQ(residents(at(9s), at(5s)).slot_for(3), 0);
    EXPECT_EQ(residents(at(5s), at(9s)).slot_for(3), 1);
    EXPECT_EQ(residents(at(5s), never).slot_for(3), 1);
}

TEST(residents, keep_their_slot) {
    EXPECT_EQ(residents(at(9s), at(5s)).slot_for(1), 0);
    EXPECT_EQ(residents(at(9s), at(5s)).slot_for(2), 1);
}

TEST(residents, give_way_first_if_they_have_left) {
    residents r(at(5s), at(9s));
    r.s.retire_owner(1);
    EXPECT_EQ(r.slot_for(3), 0);
}

// A returning owner finds its text in the host memory only on a slot with another text (#28139).
TEST(residents, give_way_to_a_returning_owner_before_an_empty_slot_if_the_server_restores_texts) {
    const std::string long_text(2000, 'a');
    const auto slot_after = [&](int evaluated) {
        slot_scheduler s(2, 0s);
        const auto use = [&](owner_id owner, int cached, int evaluated_tokens) {
            s.request({.prompt = long_text + std::to_string(owner),
                       .owner = owner,
                       .was_here = true,
                       .required_slot = 0});
            only_grant(s, at(0s));
            s.release(0, at(0s),
                      {.holds = "Other texts of " + std::to_string(owner),
                       .cached = cached,
                       .evaluated = evaluated_tokens});
        };
        use(1, 0, 500);
        use(2, 500 - evaluated, evaluated);
        s.request({.prompt = long_text + "1", .owner = 1, .was_here = true});
        return only_grant(s, at(1s)).slot;
    };
    EXPECT_EQ(slot_after(500), 1) << "nothing was restored";
    EXPECT_EQ(slot_after(10), 0);
}

}  // namespace
