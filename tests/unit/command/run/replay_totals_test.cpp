#include "run/replay_totals.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using tandem::finish_reason;
using tandem::reply_result;
using tandem::command::replay_totals;

tandem::command::end_event event_of(const reply_result& r) {
    return {.where = {"p1", 0}, .result = r};
}

reply_result reply_with(finish_reason reason, double first_chunk_ms = -1) {
    reply_result r;
    r.finish_reason = reason;
    r.metrics.first_chunk_ms = first_chunk_ms;
    return r;
}

TEST(replay_totals, count_each_reply_once_by_its_end) {
    replay_totals totals(7);
    for (const auto reason : {finish_reason::eos, finish_reason::length, finish_reason::stop_word,
                              finish_reason::interrupted, finish_reason::error})
        totals.add(event_of(reply_with(reason)));
    const auto s = totals.summary(0, 0);
    EXPECT_EQ(s.complete, 3);
    EXPECT_EQ(s.interrupted, 1);
    EXPECT_EQ(s.failed, 1);
    EXPECT_EQ(s.not_started, 2);
}

TEST(replay_totals, count_calls_and_the_replies_to_their_results) {
    replay_totals totals(1);
    auto r = reply_with(finish_reason::tool_calls);
    r.calls.resize(2);
    totals.add(event_of(r));
    totals.expect_reply();
    const auto s = totals.summary(0, 0);
    EXPECT_EQ(s.calls, 2);
    EXPECT_EQ(s.replies, 2);
    EXPECT_EQ(s.not_started, 1);
}

TEST(replay_totals, sum_up_what_was_done_while_users_spoke) {
    replay_totals totals(2);
    auto r = reply_with(finish_reason::eos);
    r.usage = {.drafted = 11, .draft_wasted = 7, .prefilled = 23};
    totals.add(event_of(r));
    totals.add(event_of(r));
    const auto s = totals.summary(0, 0);
    EXPECT_EQ(s.drafted, 22);
    EXPECT_EQ(s.draft_wasted, 14);
    EXPECT_EQ(s.prefilled, 46);
}

TEST(replay_totals, rank_the_times_of_the_first_chunks) {
    replay_totals totals(10);
    for (const double ms : {9, 1, 8, 2, 7, 3, 6, 4, 5, 10})
        totals.add(event_of(reply_with(finish_reason::eos, ms)));
    const auto s = totals.summary(0, 0);
    EXPECT_EQ(s.first_chunk_ms.p50, 5);
    EXPECT_EQ(s.first_chunk_ms.p90, 9);
    EXPECT_EQ(s.first_chunk_ms.p99, 10);
    EXPECT_EQ(s.first_chunk_ms.max, 10);
}

TEST(replay_totals, have_no_first_chunk_time_without_chunks) {
    replay_totals totals(1);
    totals.add(event_of(reply_with(finish_reason::error)));
    EXPECT_EQ(totals.summary(0, 0).first_chunk_ms.p50, -1);
}

TEST(replay_totals, report_the_first_tokens_and_the_guard_of_replies_that_had_such) {
    using kind = tandem::timeline_event::kind;
    replay_totals totals(4);
    for (const int ms : {9, 1, 5}) {
        reply_result r;
        r.timeline = {{.what = kind::request},
                      {.what = kind::first_token, .at_ns = ms * std::int64_t{1'000'000}},
                      {.what = kind::first_token, .at_ns = 99'000'000}};
        r.metrics.requests = 2;
        r.metrics.guard_wait_ms = 10.0 * ms;
        totals.add(event_of(r));
    }
    totals.add(event_of(reply_with(finish_reason::error)));
    const auto s = totals.summary(0, 0);
    EXPECT_EQ(s.first_token_ms.p50, 5);
    EXPECT_EQ(s.first_token_ms.max, 9);
    EXPECT_EQ(s.guard_part_ms.p50, 50);
    EXPECT_EQ(s.guard_part_ms.max, 90);
}

TEST(replay_totals, add_up_cuts_and_tokens_that_were_heard) {
    replay_totals totals(2);
    reply_result r;
    r.metrics.cuts = 2;
    r.usage.heard = 30;
    totals.add(event_of(r));
    totals.add(event_of(r));
    EXPECT_EQ(totals.summary(0, 0).cuts, 4);
    EXPECT_EQ(totals.summary(0, 0).heard, 60);
}

TEST(replay_totals, report_the_gaps_of_all_chunks_but_first_ones) {
    replay_totals totals(1);
    totals.add(tandem::chunk{.id = {1, 0}, .metrics = {.gap_ms = 0}});
    totals.add(tandem::chunk{.id = {1, 1}, .metrics = {.gap_ms = 7}});
    totals.add(tandem::chunk{.id = {1, 2}, .metrics = {.gap_ms = 9}});
    const auto s = totals.summary(0, 0);
    EXPECT_EQ(s.gap_ms.p50, 7);
    EXPECT_EQ(s.gap_ms.max, 9);
}

TEST(replay_totals, add_up_tokens_and_waits) {
    replay_totals totals(2);
    reply_result r;
    r.usage.generated = 10;
    r.usage.cached = 30;
    r.usage.evaluated = 10;
    r.metrics.guard_waits = 1;
    r.metrics.guard_wait_ms = 1.5;
    totals.add(event_of(r));
    totals.add(event_of(r));
    const auto s = totals.summary(100, 5);
    EXPECT_EQ(s.generated, 20);
    EXPECT_EQ(s.guard_waits, 2);
    EXPECT_EQ(s.guard_wait_ms, 3);
    EXPECT_EQ(s.cache_hit_ratio(), 0.75);
    EXPECT_EQ(s.cpu_us_per_token(), 250);
    EXPECT_EQ(s.total_ms, 100);
}

TEST(replay_totals, count_the_replies_that_continued_and_how_often) {
    replay_totals totals(3);
    for (const int retries : {0, 1, 3}) {
        auto r = reply_with(finish_reason::eos);
        r.metrics.retries = retries;
        r.metrics.went_on = retries / 2;
        totals.add(event_of(r));
    }
    EXPECT_EQ(totals.summary(0, 0).went_on, 1);
    EXPECT_EQ(totals.summary(0, 0).lost_servers, 2);
    EXPECT_EQ(totals.summary(0, 0).retries, 4);
}

TEST(replay_totals, report_what_was_done_at_each_server) {
    replay_totals totals(2, {"http://a:1", "http://b:1"});
    totals.set_server_state("http://b:1", "up");
    reply_result r;
    r.finish_reason = finish_reason::eos;
    const std::vector<tandem::command::slot_stats> one{
        {.server = "http://b:1", .slot = 3, .requests = 1, .chunks = 2}};
    const std::vector<tandem::command::slot_stats> two{
        {.server = "http://b:1", .slot = 0, .requests = 4},
        {.server = "http://b:1", .slot = 3, .requests = 2, .chunks = 1}};
    totals.add({.where = {"p1", 0}, .result = r, .server = "http://b:1", .slots = one});
    r.finish_reason = finish_reason::error;
    totals.add({.where = {"p1", 1}, .result = r, .server = "http://b:1", .slots = two});
    const auto servers = totals.summary(0, 0).servers;
    ASSERT_EQ(servers.size(), 2u);
    EXPECT_EQ(servers[0].state, "unknown");
    EXPECT_TRUE(servers[0].slots.empty());
    EXPECT_EQ(servers[1].state, "up");
    EXPECT_EQ(servers[1].replies, 2);
    EXPECT_EQ(servers[1].failed, 1);
    ASSERT_EQ(servers[1].slots.size(), 2u);
    EXPECT_EQ(servers[1].slots[0].slot, 0);
    EXPECT_EQ(servers[1].slots[1].requests, 3);
    EXPECT_EQ(servers[1].slots[1].chunks, 3);
}

TEST(replay_totals, book_slots_where_they_were_and_a_reply_where_it_ended) {
    replay_totals totals(1, {"http://a:1", "http://b:1"});
    auto r = reply_with(finish_reason::eos);
    totals.add({.where = {"p1", 0},
                .result = r,
                .server = "http://b:1",
                .slots = {{.server = "http://a:1", .slot = 0, .chunks = 2},
                          {.server = "http://b:1", .slot = 1, .chunks = 3}}});
    const auto servers = totals.summary(0, 0).servers;
    ASSERT_EQ(servers[0].slots.size(), 1u);
    EXPECT_EQ(servers[0].slots[0].chunks, 2);
    EXPECT_EQ(servers[0].replies, 0);
    ASSERT_EQ(servers[1].slots.size(), 1u);
    EXPECT_EQ(servers[1].slots[0].chunks, 3);
    EXPECT_EQ(servers[1].replies, 1);
}

TEST(replay_totals, report_how_long_replies_waited_for_slots) {
    replay_totals totals(3);
    reply_result r;
    totals.add(event_of(r));
    EXPECT_EQ(totals.summary(0, 0).slot_wait_ms.max, -1);
    for (const double ms : {3, 5}) {
        r.metrics.requests = 1;
        r.metrics.slot_wait_ms = ms;
        totals.add(event_of(r));
    }
    EXPECT_EQ(totals.summary(0, 0).slot_wait_ms.p50, 3);
    EXPECT_EQ(totals.summary(0, 0).slot_wait_ms.max, 5);
}

TEST(replay_totals, add_up_conversations) {
    replay_totals totals(3);
    tandem::conversation_metrics m;
    m.turns = 2;
    m.trims = 1;
    m.moves = 3;
    m.resumed = 4;
    totals.add(m);
    totals.add(m);
    const auto c = totals.summary(0, 0).conversations;
    EXPECT_EQ(c.count, 2);
    EXPECT_EQ(c.turns, 4);
    EXPECT_EQ(c.trims, 2);
    EXPECT_EQ(c.moves, 6);
    EXPECT_EQ(c.resumed, 8);
}

}  // namespace
