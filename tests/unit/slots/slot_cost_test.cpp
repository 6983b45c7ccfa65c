// The cost of a slot: the value that the slot's text has for owners that may return.

#include "slot_uses.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace std::chrono_literals;
using tandem::slots::owner_id;
using tandem::slots::slot_scheduler;
using tandem::test::at;

constexpr owner_id anna = 1, ben = 2, cleo = 3;

// One complete request of an owner. Afterwards, the slot holds the text.
int say(slot_scheduler& s, owner_id owner, const std::string& text, tandem::duration when) {
    s.request({.prompt = text, .owner = owner});
    const int slot = s.take_grants(at(when)).at(0).slot;
    s.release(slot, at(when), {.holds = text});
    s.release_owner(owner);
    return slot;
}

TEST(slot_cost, leaves_a_dialogue_its_slot_if_another_one_begins_alike) {
    slot_scheduler s(2, 0s);
    const int annas = say(s, anna, "I am Anna, and I would like a table.", 0s);
    EXPECT_NE(say(s, ben, "I am Ben, and I want to cancel one.", 1s), annas);
    EXPECT_EQ(say(s, anna, "I am Anna, and I would like a table. For four.", 2s), annas);
}

TEST(slot_cost, shares_a_long_beginning_if_that_spares_more_than_it_loses) {
    const std::string system(500, 's');
    slot_scheduler s(2, 0s);
    const int annas = say(s, anna, system + "Anna", 0s);
    EXPECT_EQ(say(s, ben, system + "Ben", 1s), annas);
}

TEST(slot_cost, takes_the_slot_whose_loss_is_the_smallest_if_each_holds_something) {
    slot_scheduler s(2, 0s);
    say(s, anna, std::string(200, 'a'), 0s);
    const int bens = say(s, ben, std::string(20, 'b'), 1s);
    EXPECT_EQ(say(s, cleo, "c", 2s), bens);
}

TEST(slot_cost, is_nothing_for_text_of_an_owner_that_will_not_return) {
    slot_scheduler s(2, 0s);
    const int annas = say(s, anna, std::string(200, 'a'), 0s);
    say(s, ben, std::string(20, 'b'), 1s);
    s.retire_owner(anna);
    EXPECT_EQ(say(s, cleo, "c", 2s), annas);
}

TEST(slot_cost, is_nothing_for_text_that_nobody_returned_for_in_minutes) {
    slot_scheduler s(2, 0s);
    const int annas = say(s, anna, std::string(200, 'a'), 0s);
    say(s, ben, std::string(20, 'b'), 4min);
    EXPECT_EQ(say(s, cleo, "c", 6min), annas);
}

TEST(slot_cost, counts_again_for_who_uses_the_slot_of_one_that_left) {
    slot_scheduler s(2, 0s);
    const int annas = say(s, anna, std::string(200, 'a'), 0s);
    const int bens = say(s, ben, std::string(90, 'b'), 1s);
    s.retire_owner(anna);
    EXPECT_EQ(say(s, cleo, std::string(100, 'c'), 2s), annas);
    EXPECT_EQ(say(s, anna, "a", 3s), bens) << "losing this text costs less";
}

TEST(a_prefilled_slot, is_not_taken_for_its_common_beginning_while_another_one_is_idle) {
    slot_scheduler s(2, 0s);
    const std::string common(1000, 's');
    s.request(
        {.prompt = common + "first", .kind = tandem::slots::request_kind::background, .owner = 1});
    const auto given = s.take_grants(at(0s));
    ASSERT_EQ(given.size(), 1u);
    s.release(given[0].slot, at(0s), {.is_use = false, .holds = common + std::string(1500, 'w')});
    s.release_owner(1);
    s.request({.prompt = common + "second", .owner = 2});
    EXPECT_NE(s.take_grants(at(1s)).at(0).slot, given[0].slot);
}

}  // namespace
