#include "run/slot_stats.hpp"

#include <gtest/gtest.h>

namespace {

using tandem::reply_result;
using tandem::timeline_event;
using tandem::command::reply_slot_stats;
using kind = tandem::timeline_event::kind;

TEST(reply_slot_stats, count_what_chunks_tell_for_their_slots) {
    reply_slot_stats slots;
    slots.add({.tokens = 3, .metrics = {.slot = 1, .cached = 5, .evaluated = 15}});
    slots.add({.tokens = 4, .metrics = {.slot = 0, .cached = 9, .evaluated = 1}});
    slots.add({.tokens = 2, .metrics = {.slot = 1}});
    reply_result r;
    r.metrics = {.slot = 1, .chunks = 3, .requests = 2};
    r.usage = {.cached = 14, .evaluated = 16, .generated = 9};
    r.timeline = {{.what = kind::request, .slot = 1}, {.what = kind::request, .slot = 0}};
    const auto of = slots.split_by_slot(r);
    ASSERT_EQ(of.size(), 2u);
    EXPECT_EQ(of[0].slot, 0);
    EXPECT_EQ(of[0].requests, 1);
    EXPECT_EQ(of[0].chunks, 1);
    EXPECT_EQ(of[0].cache_hit_ratio(), 0.9);
    EXPECT_EQ(of[1].chunks, 2);
    EXPECT_EQ(of[1].generated, 5);
    EXPECT_EQ(of[1].cache_hit_ratio(), 0.25);
}

TEST(reply_slot_stats, count_what_no_chunk_told_for_the_last_slot) {
    reply_slot_stats slots;
    slots.add({.tokens = 3, .metrics = {.slot = 0, .cached = 5, .evaluated = 5}});
    reply_result r;
    r.metrics = {.slot = 1, .chunks = 1, .requests = 3};
    r.usage = {.cached = 15, .evaluated = 6, .generated = 5};
    r.timeline = {{.what = kind::request, .slot = 0}};
    const auto of = slots.split_by_slot(r);
    ASSERT_EQ(of.size(), 2u);
    EXPECT_EQ(of[1].slot, 1);
    EXPECT_EQ(of[1].requests, 2);
    EXPECT_EQ(of[1].generated, 2);
    EXPECT_EQ(of[1].cached, 10);
    EXPECT_EQ(of[1].evaluated, 1);
}

TEST(reply_slot_stats, are_those_of_the_server_that_made_the_chunk) {
    reply_slot_stats slots;
    slots.add({.tokens = 3, .metrics = {.server = "http://a:1", .slot = 0}});
    slots.add({.tokens = 4, .metrics = {.server = "http://b:1", .slot = 0}});
    reply_result r;
    r.servers = {"http://a:1", "http://b:1"};
    r.metrics = {.slot = 0, .chunks = 2, .requests = 3};
    r.usage = {.generated = 8};
    r.timeline = {{.what = kind::request, .slot = 0, .server = 0},
                  {.what = kind::request, .slot = 0, .server = 0},
                  {.what = kind::request, .slot = 0, .server = 1},
                  {.what = kind::end, .slot = 0, .server = 1}};
    const auto of = slots.split_by_slot(r);
    ASSERT_EQ(of.size(), 2u);
    EXPECT_EQ(of[0].server, "http://a:1");
    EXPECT_EQ(of[0].requests, 2);
    EXPECT_EQ(of[0].generated, 3);
    EXPECT_EQ(of[1].server, "http://b:1");
    EXPECT_EQ(of[1].requests, 1);
    EXPECT_EQ(of[1].generated, 5) << "the end token too";
}

TEST(reply_slot_stats, are_none_if_nothing_was_sent) {
    EXPECT_TRUE(reply_slot_stats().split_by_slot({}).empty());
}

}  // namespace
