// The last user of a slot, which a grant names, so that the slot can be erased before another owner
// uses it.

#include "slot_uses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::slots::grant;
using tandem::slots::nobody;
using tandem::slots::owner_id;
using tandem::slots::slot_scheduler;
using tandem::test::at;
using tandem::test::only_grant;
using testing::ElementsAre;
using testing::IsEmpty;

grant ask(slot_scheduler& s, owner_id owner) {
    s.request({.owner = owner});
    return only_grant(s, at(0s));
}

TEST(previous_owner, is_nobody_of_a_slot_that_was_never_used) {
    slot_scheduler s(1, 0s);
    EXPECT_EQ(ask(s, 1).previous, nobody);
}

TEST(previous_owner, is_the_last_one) {
    slot_scheduler s(1, 0s);
    for (const owner_id owner : {1U, 2U}) {
        ask(s, owner);
        s.release(0, at(0s));
    }
    EXPECT_EQ(ask(s, 3).previous, 2u);
}

TEST(previous_owner, is_nobody_if_it_is_the_same) {
    slot_scheduler s(1, 0s);
    ask(s, 1);
    s.release(0, at(0s));
    EXPECT_EQ(ask(s, 1).previous, nobody);
}

TEST(previous_owner, is_told_to_who_has_no_name_too) {
    slot_scheduler s(1, 0s);
    ask(s, 1);
    s.release(0, at(0s));
    EXPECT_EQ(ask(s, nobody).previous, 1u);
}

TEST(previous_owner, is_known_after_it_let_go) {
    slot_scheduler s(1, 0s);
    ask(s, 1);
    s.release_owner(1);
    s.release(0, at(0s));
    s.release_owner(1);
    EXPECT_EQ(ask(s, 2).previous, 1u);
}

TEST(previous_owner, is_not_one_who_gave_the_slot_back_unused) {
    slot_scheduler s(1, 0s);
    ask(s, 1);
    s.release(0, at(0s));
    EXPECT_EQ(ask(s, 2).previous, 1u);
    s.release(0, at(0s), {.has_run = false});
    EXPECT_EQ(ask(s, 2).previous, 1u);
}

TEST(previous_owner, is_one_who_only_prefilled) {
    slot_scheduler s(1, 0s);
    ask(s, 1);
    s.release(0, at(0s), {.is_use = false});
    EXPECT_EQ(ask(s, 2).previous, 1u);
}

TEST(erased_slot, has_no_previous_owner) {
    slot_scheduler s(1, 0s);
    ask(s, 1);
    s.release(0, at(0s));
    s.forget_contents(0);
    EXPECT_EQ(ask(s, 2).previous, nobody);
}

TEST(erased_slot, holds_nothing) {
    slot_scheduler s(2, 0s);
    s.request();
    s.request();
    s.take_grants(at(0s));
    s.release(0, at(1s), {.holds = "Dear Anna"});
    s.release(1, at(2s), {.holds = "Dear"});
    s.forget_contents(0);
    s.request({.prompt = "Dear Anna"});
    EXPECT_EQ(only_grant(s, at(3s)).slot, 1);
}

TEST(erased_slot, stays_erased_when_it_is_given_back_unused) {
    slot_scheduler s(1, 0s);
    ask(s, 1);
    s.release(0, at(0s));
    EXPECT_EQ(ask(s, 2).previous, 1u);
    s.forget_contents(0);
    s.release(0, at(0s), {.has_run = false});
    EXPECT_EQ(ask(s, 2).previous, nobody);
    EXPECT_THAT(s.slots_used_by(1), IsEmpty());
}

TEST(slots_used_by, an_owner_are_those_that_nobody_used_since) {
    slot_scheduler s(3, 0s);
    for (int i = 0; i < 3; ++i) s.request({.owner = 1});
    s.take_grants(at(0s));
    for (int slot = 0; slot < 3; ++slot) s.release(slot, at(0s));
    s.release_owner(1);
    EXPECT_THAT(s.slots_used_by(1), ElementsAre(0, 1, 2));
    const int taken = ask(s, 2).slot;
    s.release(taken, at(0s));
    EXPECT_EQ(s.slots_used_by(1).size(), 2u);
    EXPECT_THAT(s.slots_used_by(2), ElementsAre(taken));
}

TEST(slots_used_by, an_owner_are_those_that_it_uses_now) {
    slot_scheduler s(1, 0s);
    ask(s, 1);
    EXPECT_THAT(s.slots_used_by(1), ElementsAre(0));
    s.release(0, at(0s));
    ask(s, 2);
    EXPECT_THAT(s.slots_used_by(1), IsEmpty()) << "it must not be erased now";
    EXPECT_THAT(s.slots_used_by(2), ElementsAre(0));
}

TEST(slots_used_by, nobody_are_none) {
    slot_scheduler s(2, 0s);
    ask(s, nobody);
    s.release(0, at(0s));
    EXPECT_THAT(s.slots_used_by(nobody), IsEmpty());
}

TEST(slots_used_by, an_owner_are_slots_that_the_server_has) {
    slot_scheduler s(2, 0s);
    s.request({.owner = 1});
    s.request({.owner = 1});
    s.take_grants(at(0s));
    s.set_slot_count(1);
    EXPECT_THAT(s.slots_used_by(1), ElementsAre(0));
}

}  // namespace
