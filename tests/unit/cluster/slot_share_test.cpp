// What one gateway does with its share of a server's slots. slot_lending_test tests several
// gateways.

#include "cluster/slot_share.hpp"

#include "support/at.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <vector>

namespace {

using namespace std::chrono_literals;
using namespace tandem::cluster;
using tandem::duration;
using tandem::slots::request_kind;
using tandem::slots::slot_shortage;
using tandem::test::at;

const slot_shortage turn{request_kind::turn, at(0s)};

/// A share of a server with two slots. The store has answered the first claim, and has lent no
/// slot.
class sharing : public testing::Test {
 protected:
    sharing() {
        s.renew_lease(at(2s), false);
        update(0ms);
        take<share_action::claim>();
        s.on_claim_answer(at(0ms), std::vector<loan>{});
        s.take_actions();
    }

    void update(duration t, std::optional<slot_shortage> shortage = {}) {
        here.shortage = shortage;
        s.update(at(t), here);
    }
    /// The last action of this kind since the last call; nullopt if there was none.
    template <class Action>
    std::optional<Action> take() {
        std::optional<Action> found;
        for (const auto& any : s.take_actions())
            if (const auto* a = std::get_if<Action>(&any)) found = *a;
        return found;
    }
    void borrow(int slot, loan_number number) {
        s.on_loan(at(0ms), {.slot = slot, .number = number});
        s.take_actions();
    }
    static std::vector<tandem::slot_state> idle_slots(int task) {
        return {{.id = 0, .task = task}, {.id = 1, .task = task}};
    }

    local_slots here{.slots = {{}, {}}};
    slot_share s;
};

TEST_F(sharing, asks_the_store_for_a_slot_that_is_missing) {
    update(10ms, turn);
    const auto claim = take<share_action::claim>();
    ASSERT_TRUE(claim);
    EXPECT_EQ(claim->wish, turn);
}

TEST_F(sharing, asks_once_and_again_after_a_while) {
    update(10ms, turn);
    take<share_action::claim>();
    s.on_claim_answer(at(11ms), std::vector<loan>{});
    update(20ms, turn);
    EXPECT_FALSE(take<share_action::claim>());
    update(600ms, turn);
    EXPECT_TRUE(take<share_action::claim>());
}

TEST_F(sharing, withdraws_its_wish_when_no_slot_is_missing_any_more) {
    update(10ms, turn);
    take<share_action::claim>();
    s.on_claim_answer(at(11ms), std::vector<loan>{});
    update(20ms);
    const auto claim = take<share_action::claim>();
    ASSERT_TRUE(claim);
    EXPECT_FALSE(claim->wish);
}

TEST_F(sharing, counts_the_idle_slots_that_it_checks_after_the_store_was_emptied) {
    borrow(0, 1);
    borrow(1, 2);
    EXPECT_EQ(s.count_unchecked(), 0);
    here.slots[1].is_busy = true;
    update(10ms);
    s.distrust_store(at(20ms));
    EXPECT_EQ(s.count_unchecked(), 1);
}

TEST_F(sharing, brings_a_lent_slot_back_with_its_last_use) {
    s.on_loan(at(100ms), {.slot = 1, .number = 7, .unused_for = 40ms});
    const auto brought = take<share_action::bring_back>();
    ASSERT_TRUE(brought);
    EXPECT_EQ(brought->slot, 1);
    EXPECT_EQ(brought->last_used, at(60ms));
    EXPECT_FALSE(brought->is_untouched);
}

TEST_F(sharing, ignores_a_loan_that_it_has_returned_meanwhile) {
    borrow(1, 7);
    s.on_granted_elsewhere(at(10ms), "b", 1, std::nullopt);
    s.on_offer_answer(at(11ms), 1, offer_result::taken);
    s.take_actions();
    s.on_loan(at(12ms), {.slot = 1, .number = 7});
    EXPECT_EQ(s.count_slots(), 0);
}

TEST_F(sharing, offers_a_slot_that_the_scheduler_has_granted_to_another_gateway) {
    borrow(0, 7);
    s.on_wish(at(10ms), "b", turn);
    EXPECT_EQ(take<share_action::queue_wish>()->gateway, "b");
    s.on_granted_elsewhere(at(20ms), "b", 0, at(5ms));
    EXPECT_EQ(take<share_action::offer>()->loan, (reported_loan{0, 7, 15ms}));
}

TEST_F(sharing, keeps_an_offered_slot_that_nobody_wants_with_its_text) {
    borrow(0, 7);
    s.on_granted_elsewhere(at(20ms), "b", 0, at(5ms));
    s.take_actions();
    s.on_offer_answer(at(21ms), 0, offer_result::not_wanted);
    EXPECT_TRUE(take<share_action::bring_back>()->is_untouched);
}

TEST_F(sharing, forgets_the_wish_of_a_gateway_that_does_not_repeat_it) {
    s.on_wish(at(10ms), "b", turn);
    s.take_actions();
    update(1600ms);
    EXPECT_EQ(take<share_action::withdraw_wish>()->gateway, "b");
}

TEST_F(sharing, loses_a_slot_that_the_store_does_not_name) {
    borrow(0, 7);
    update(10ms, turn);
    s.take_actions();
    s.on_claim_answer(at(11ms), std::vector<loan>{});
    EXPECT_EQ(take<share_action::send_away>()->slot, 0);
    EXPECT_EQ(s.count_lost(), 1);
}

TEST_F(sharing, does_not_lose_a_slot_that_was_lent_after_it_had_asked) {
    update(10ms, turn);
    borrow(0, 7);
    s.on_claim_answer(at(11ms), std::vector<loan>{});
    EXPECT_EQ(s.count_slots(), 1);
}

TEST_F(sharing, watches_a_doubtful_slot_before_it_is_used) {
    s.on_loan(at(0ms), {.slot = 0, .number = 7, .is_doubtful = true});
    s.take_actions();
    for (const auto t : {0ms, 500ms}) {
        update(t, turn);
        s.on_poll_answer(at(t), idle_slots(4));
        EXPECT_FALSE(take<share_action::bring_back>());
    }
    update(1000ms, turn);
    s.on_poll_answer(at(1000ms), idle_slots(4));
    EXPECT_TRUE(take<share_action::bring_back>());
}

TEST_F(sharing,
       uses_a_doubtful_slot_of_a_server_that_cannot_be_asked_once_others_had_time_to_claim_it) {
    s.on_loan(at(0ms), {.slot = 0, .number = 7, .is_doubtful = true});
    s.renew_lease(at(10s), false);
    for (const duration t : {0s, 1s, 2s}) {
        update(t, turn);
        s.on_poll_answer(at(t), std::nullopt);
        EXPECT_FALSE(take<share_action::bring_back>());
    }
    update(3s, turn);
    EXPECT_TRUE(take<share_action::bring_back>());
}

TEST_F(sharing, has_left_only_when_the_store_can_lend_it_nothing) {
    update(10ms, turn);
    s.take_actions();
    s.leave();
    EXPECT_FALSE(s.has_left()) << "a claim is on its way";
    s.on_claim_answer(at(20ms), std::vector<loan>{});
    EXPECT_FALSE(s.has_left()) << "the store has its wish";
}

TEST_F(sharing, has_left_when_its_slots_were_returned) {
    borrow(0, 7);
    s.leave();
    EXPECT_FALSE(s.has_left());
    update(10ms);
    s.on_offer_answer(at(11ms), 0, offer_result::taken);
    EXPECT_TRUE(s.has_left());
}

TEST_F(sharing,
       offers_a_slot_again_only_after_a_while_if_the_store_does_not_answer_a_gateway_that_leaves) {
    borrow(0, 7);
    s.leave();
    update(10ms);
    EXPECT_TRUE(take<share_action::offer>());
    s.on_offer_answer(at(11ms), 0, offer_result::unknown);
    update(11ms);
    EXPECT_FALSE(take<share_action::offer>());
    EXPECT_LE(s.next_event(at(11ms)), at(600ms));
    update(600ms);
    EXPECT_TRUE(take<share_action::offer>());
}

/// The store has not answered a claim yet. It may still record loans to an earlier process of the
/// gateway.
class sharing_after_a_restart : public testing::Test {
 protected:
    sharing_after_a_restart() { s.renew_lease(at(2s), false); }
    /// Whether the claim that the share sends now has a wish; nullopt if the share sends none.
    std::optional<bool> claims(duration t) {
        s.update(at(t), {.slots = {{}, {}}, .shortage = turn});
        for (const auto& any : s.take_actions())
            if (const auto* c = std::get_if<share_action::claim>(&any)) return c->wish.has_value();
        return std::nullopt;
    }

    slot_share s;
};

TEST_F(sharing_after_a_restart, watches_the_slots_of_the_earlier_process_before_they_are_used) {
    EXPECT_EQ(claims(0ms), false);
    s.on_claim_answer(at(1ms), {{{.slot = 0, .number = 7}}});
    EXPECT_EQ(s.count_slots(), 1);
    EXPECT_EQ(s.count_unchecked(), 1);
    EXPECT_EQ(claims(1ms), true) << "another slot may be free";
    s.on_claim_answer(at(2ms), {{{.slot = 0, .number = 7}, {.slot = 1, .number = 8}}});
    EXPECT_EQ(s.count_unchecked(), 1);
}

TEST_F(sharing_after_a_restart, asks_again_after_a_while_if_the_store_does_not_answer) {
    EXPECT_EQ(claims(0ms), false);
    s.on_claim_answer(at(1ms), std::nullopt);
    EXPECT_EQ(claims(1ms), std::nullopt);
    EXPECT_EQ(claims(600ms), false);
    s.on_claim_answer(at(601ms), {{{.slot = 0, .number = 7}}});
    EXPECT_EQ(s.count_unchecked(), 1);
}

/// The lease has ended, because the store no longer answers.
class sharing_without_store : public sharing {
 protected:
    sharing_without_store() {
        borrow(0, 7);
        update(2s);
        s.on_poll_answer(at(2s), idle_slots(4));
        s.take_actions();
    }
};

TEST_F(sharing_without_store, uses_a_slot_that_nobody_else_has_used) {
    update(10s, turn);
    s.on_poll_answer(at(10s), idle_slots(4));
    const auto brought = take<share_action::bring_back>();
    ASSERT_TRUE(brought);
    EXPECT_EQ(brought->slot, 0);
    EXPECT_TRUE(brought->is_untouched);
}

TEST_F(sharing_without_store, leaves_a_slot_alone_that_was_just_used_by_another_gateway) {
    update(3s, turn);
    s.on_poll_answer(at(3s), idle_slots(5));
    EXPECT_FALSE(take<share_action::bring_back>());
}

TEST_F(sharing_without_store, takes_a_slot_that_has_been_unused_for_a_while) {
    here.slots[0].is_busy = true;
    for (const auto t : {10s, 11s}) {
        update(t, turn);
        s.on_poll_answer(at(t), idle_slots(4));
    }
    EXPECT_EQ(take<share_action::bring_back>()->slot, 1);
}

TEST_F(sharing_without_store, lets_a_running_request_continue) {
    here.slots[0].is_busy = true;
    update(10s);
    EXPECT_EQ(s.count_slots(), 1);
    EXPECT_EQ(s.count_lost(), 0);
}

TEST_F(sharing_without_store, tells_the_store_what_it_has_once_that_answers_again) {
    s.renew_lease(at(12s), false);
    update(10s);
    const auto claim = take<share_action::claim>();
    ASSERT_TRUE(claim);
    ASSERT_EQ(claim->held.size(), 1u);
    EXPECT_EQ(claim->held[0].slot, 0);
}

TEST_F(sharing_without_store, ignores_an_answer_of_the_server_that_is_out_of_date) {
    update(10s, turn);
    s.on_poll_answer(at(11s), idle_slots(4));
    EXPECT_FALSE(take<share_action::bring_back>());
}

}  // namespace
