#include "slot_figures.hpp"

#include <gtest/gtest.h>

namespace {

using tandem::reply_result;
using tandem::timeline_event;
using tandem::command::reply_slots;
using kind = tandem::timeline_event::kind;

TEST(reply_slots, count_what_chunks_tell_for_their_slots) {
    reply_slots slots;
    slots.add({.tokens = 3, .slot = 1, .cached = 5, .evaluated = 15});
    slots.add({.tokens = 4, .slot = 0, .cached = 9, .evaluated = 1});
    slots.add({.tokens = 2, .slot = 1});
    reply_result r;
    r.metrics = {.slot = 1, .chunks = 3, .requests = 2};
    r.usage = {.cached = 14, .evaluated = 16, .generated = 9};
    r.timeline = {{.what = kind::request, .slot = 1}, {.what = kind::request, .slot = 0}};
    const auto of = slots.of(r);
    ASSERT_EQ(of.size(), 2u);
    EXPECT_EQ(of[0].slot, 0);
    EXPECT_EQ(of[0].requests, 1);
    EXPECT_EQ(of[0].chunks, 1);
    EXPECT_EQ(of[0].cache_hit_ratio(), 0.9);
    EXPECT_EQ(of[1].chunks, 2);
    EXPECT_EQ(of[1].generated, 5);
    EXPECT_EQ(of[1].cache_hit_ratio(), 0.25);
}

TEST(reply_slots, count_what_no_chunk_told_for_the_last_slot) {
    reply_slots slots;
    slots.add({.tokens = 3, .slot = 0, .cached = 5, .evaluated = 5});
    reply_result r;
    r.metrics = {.slot = 1, .chunks = 1, .requests = 3};
    r.usage = {.cached = 15, .evaluated = 6, .generated = 5};
    r.timeline = {{.what = kind::request, .slot = 0}};
    const auto of = slots.of(r);
    ASSERT_EQ(of.size(), 2u);
    EXPECT_EQ(of[1].slot, 1);
    EXPECT_EQ(of[1].requests, 2);
    EXPECT_EQ(of[1].generated, 2);
    EXPECT_EQ(of[1].cached, 10);
    EXPECT_EQ(of[1].evaluated, 1);
}

TEST(reply_slots, are_none_where_nothing_was_sent) {
    EXPECT_TRUE(reply_slots().of({}).empty());
}

}  // namespace
