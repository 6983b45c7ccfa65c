#include "engine_driver.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace tandem::mock {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::engine_driver;
using test::prompt_of;
using test::saying;
using test::timed;

json event_json(const engine_output& o) {
    return json::parse(o.payload.substr(6));
}

TEST(engine, counts_tokens_in_events_and_in_the_final_event) {
    engine_driver d(saying(3));
    const task_id id = d.submit(prompt_of(5));
    d.run_for(milliseconds(0));
    const auto out = d.outputs_of(id);
    ASSERT_EQ(out.size(), 6u);  // begin, three tokens, EOS, final
    EXPECT_EQ(out[0].kind, output_kind::begin);
    const json second = event_json(out[2]);
    EXPECT_EQ(second["content"], " b");
    EXPECT_EQ(second["tokens"].size(), 1u);
    EXPECT_EQ(second["tokens_predicted"], 2);
    EXPECT_EQ(second["tokens_evaluated"], 5);
    EXPECT_EQ(second["id_slot"], -1);
    EXPECT_FALSE(second["stop"].get<bool>());
    EXPECT_FALSE(second.contains("timings"));
    EXPECT_EQ(event_json(out[4])["content"], "");
    EXPECT_EQ(event_json(out[4])["tokens"][0], eos_token);
    const json last = event_json(out[5]);
    EXPECT_EQ(last["tokens_predicted"], 4);
    EXPECT_EQ(last["tokens_cached"], 8);
    EXPECT_EQ(last["id_slot"], 0);
    EXPECT_EQ(last["stop_type"], "eos");
    EXPECT_EQ(last["timings"]["prompt_n"], 5);
    EXPECT_EQ(last["timings"]["predicted_n"], 4);
}

TEST(engine, takes_the_time_that_its_speeds_say) {
    engine_driver d(timed(100));
    const task_id id = d.submit(prompt_of(500));
    d.run_for(milliseconds(499));
    EXPECT_EQ(d.count(id, output_kind::event), 0);
    d.run_for(milliseconds(1));
    EXPECT_EQ(d.count(id, output_kind::event), 1);
    d.run_for(milliseconds(50));
    EXPECT_EQ(d.count(id, output_kind::event), 6);
}

TEST(engine, adds_timings_to_each_event_on_demand) {
    engine_driver d(timed(3));
    completion_request r = prompt_of(500);
    r.timings_per_token = true;
    const task_id id = d.submit(r);
    d.run_for(seconds(1));
    const json second = event_json(d.outputs_of(id)[2]);
    EXPECT_EQ(second["timings"]["prompt_ms"], 500);
    EXPECT_EQ(second["timings"]["predicted_ms"], 10);
}

TEST(engine, reuses_what_the_slot_holds_of_the_prompt) {
    engine_driver d(saying(3));
    d.submit(prompt_of(50));
    d.run_for(seconds(0));
    const task_id again = d.submit(prompt_of(60));
    EXPECT_EQ(d.record(again).cached, 50);
    EXPECT_EQ(d.record(again).evaluated, 10);
    const task_id other_slot = d.submit(prompt_of(60, 1));
    EXPECT_EQ(d.record(other_slot).cached, 0);
}

TEST(engine, continues_a_reply_by_ids_with_one_token_to_evaluate) {
    engine_driver d(saying(5));
    const task_id first = d.submit(prompt_of(20));
    d.run_for(seconds(0));
    completion_request more = prompt_of(20);
    for (const auto& o : d.outputs_of(first)) {
        if (o.kind == output_kind::event) more.prompt.push_back(event_json(o)["tokens"][0]);
    }
    const task_id second = d.submit(more);
    EXPECT_EQ(d.record(second).evaluated, 1);
}

TEST(engine, evaluates_everything_without_cache_prompt) {
    engine_driver d(saying(3));
    d.submit(prompt_of(50));
    d.run_for(seconds(0));
    completion_request r = prompt_of(50);
    r.cache_prompt = false;
    EXPECT_EQ(d.record(d.submit(r)).evaluated, 50);
}

options unified(int reply_tokens) {
    options o = saying(reply_tokens);
    o.kv_unified = true;
    return o;
}

TEST(engine, empties_idle_slots_of_a_unified_context_when_a_request_starts) {
    engine_driver d(unified(3));
    d.submit(prompt_of(50, 0));
    d.run_for(seconds(0));
    d.submit(prompt_of(20, 1));
    EXPECT_EQ(d.slot(0).tokens, 0);
    d.run_for(seconds(0));
    const task_id again = d.submit(prompt_of(60, 0));
    EXPECT_EQ(d.record(again).cached, 0);
    EXPECT_EQ(d.record(again).evaluated, 60);
    EXPECT_EQ(d.slot(1).tokens, 0);
}

TEST(engine, keeps_the_slot_that_continues_of_a_unified_context) {
    engine_driver d(unified(3));
    d.submit(prompt_of(50, 0));
    d.run_for(seconds(0));
    EXPECT_EQ(d.record(d.submit(prompt_of(60, 0))).cached, 50);
}

TEST(engine, keeps_busy_slots_of_a_unified_context) {
    options o = timed(100);
    o.kv_unified = true;
    engine_driver d(o);
    const task_id running = d.submit(prompt_of(10, 0));
    d.run_for(milliseconds(100));
    d.submit(prompt_of(10, 1));
    d.run_for(seconds(5));
    EXPECT_TRUE(d.has(running, output_kind::final_event));
    EXPECT_EQ(d.slot(0).tokens, 110);
}

TEST(engine, keeps_idle_slots_of_a_unified_context_if_told_to) {
    options o = unified(3);
    o.cache_idle_slots = false;
    engine_driver d(o);
    d.submit(prompt_of(50, 0));
    d.run_for(seconds(0));
    d.submit(prompt_of(20, 1));
    d.run_for(seconds(0));
    EXPECT_EQ(d.record(d.submit(prompt_of(60, 0))).cached, 50);
}

TEST(engine, refuses_a_prompt_that_fills_the_slots_share_of_the_context) {
    options o = saying(3);
    o.ctx_size = 128;
    engine_driver d(o);
    const task_id fits = d.submit(prompt_of(63));
    const task_id too_long = d.submit(prompt_of(64, 1));
    d.run_for(seconds(0));
    EXPECT_TRUE(d.has(fits, output_kind::begin));
    const auto out = d.outputs_of(too_long);
    ASSERT_EQ(out.size(), 1u);
    EXPECT_EQ(out[0].kind, output_kind::refusal);
    EXPECT_EQ(out[0].status, 400);
    const json error = json::parse(out[0].payload)["error"];
    EXPECT_EQ(error["type"], "exceed_context_size_error");
    EXPECT_EQ(error["n_prompt_tokens"], 64);
    EXPECT_EQ(error["n_ctx"], 64);
}

TEST(engine, ends_a_reply_if_the_context_is_full) {
    options o = saying(100);
    o.ctx_size = 64;
    engine_driver d(o);
    const task_id id = d.submit(prompt_of(22));
    d.run_for(seconds(0));
    const json last = event_json(d.outputs_of(id).back());
    EXPECT_EQ(last["stop_type"], "limit");
    EXPECT_TRUE(last["truncated"].get<bool>());
    EXPECT_EQ(last["tokens_predicted"], 10);
}

TEST(engine, answers_an_empty_prompt_with_the_final_event_alone) {
    engine_driver d(saying(3));
    const task_id id = d.submit(prompt_of(0));
    const auto out = d.outputs_of(id);
    ASSERT_EQ(out.size(), 2u);
    EXPECT_EQ(out[1].kind, output_kind::final_event);
    EXPECT_EQ(event_json(out[1])["tokens_evaluated"], 0);
}

TEST(engine, reports_prompt_progress_with_a_bogus_token) {
    options o = timed(1);
    o.batch_size = 100;
    engine_driver d(o);
    completion_request r = prompt_of(250);
    r.return_progress = true;
    const task_id id = d.submit(r);
    d.run_for(seconds(1));
    std::vector<int> processed;
    for (const auto& out : d.outputs_of(id)) {
        if (out.kind != output_kind::event || out.predicted > 0) continue;
        const json e = event_json(out);
        EXPECT_EQ(e["tokens"], json::array({0}));
        processed.push_back(e["prompt_progress"]["processed"]);
    }
    EXPECT_EQ(processed, (std::vector<int>{0, 100, 200, 250}));
}

TEST(engine, answers_in_one_piece_without_stream) {
    engine_driver d(saying(3));
    completion_request r = prompt_of(5);
    r.stream = false;
    r.return_tokens = true;
    const task_id id = d.submit(r);
    d.run_for(seconds(0));
    const auto out = d.outputs_of(id);
    ASSERT_EQ(out.size(), 1u);
    const json answer = json::parse(out[0].payload);
    EXPECT_EQ(answer["content"], "a b b");
    EXPECT_EQ(answer["tokens"].size(), 4u);
}

TEST(engine, shrinks_the_final_event_but_no_other_to_the_wanted_fields) {
    engine_driver d(saying(1));
    completion_request r = prompt_of(5);
    r.response_fields = {"stop", "timings/prompt_n", "no_such/field"};
    const task_id id = d.submit(r);
    d.run_for(seconds(0));
    const auto out = d.outputs_of(id);
    EXPECT_TRUE(event_json(out[1]).contains("content"));
    EXPECT_EQ(event_json(out.back()), json::parse(R"({"stop":true,"timings/prompt_n":5})"));
}

TEST(engine, adds_timings_to_the_event_that_completes_a_stop_string) {
    engine_driver d(saying(3));
    completion_request r = prompt_of(5);
    r.stop = {" b"};
    const task_id id = d.submit(r);
    d.run_for(seconds(0));
    const auto out = d.outputs_of(id);
    EXPECT_FALSE(event_json(out[1]).contains("timings"));
    EXPECT_TRUE(event_json(out[2]).contains("timings"));
    EXPECT_EQ(event_json(out[3])["stopping_word"], " b");
}

TEST(engine, sends_nothing_to_a_request_that_waits_for_its_slot) {
    engine_driver d(timed(100));
    d.submit(prompt_of(10));
    const task_id second = d.submit(prompt_of(10));
    d.run_for(milliseconds(500));
    EXPECT_TRUE(d.outputs_of(second).empty());
    EXPECT_TRUE(d.record(second).deferred);
    d.run_for(seconds(1));
    EXPECT_TRUE(d.has(second, output_kind::begin));
    EXPECT_EQ(d.record(second).slot, 0);
}

TEST(engine, leaves_an_idle_slot_unused_while_another_is_wanted) {
    engine_driver d(timed(100));
    d.submit(prompt_of(10, 0));
    d.submit(prompt_of(10, 1));
    const task_id for_0 = d.submit(prompt_of(10, 0));
    const task_id for_any = d.submit(prompt_of(10, -1));
    // Slot 0 is released first, and runs `for_0`. When slot 1 is released, it runs `for_any`.
    d.run_for(milliseconds(1100));
    EXPECT_EQ(d.record(for_0).slot, 0);
    EXPECT_EQ(d.record(for_any).slot, 1);
}

TEST(engine, runs_deferred_requests_out_of_order) {
    engine_driver d(timed(100));
    d.submit(prompt_of(500, 0));                   // runs until about 1.5 s
    const task_id b = d.submit(prompt_of(10, 1));  // would run just as long
    const task_id c = d.submit(prompt_of(11, 0));
    const task_id e = d.submit(prompt_of(12, 0));
    d.on_client_gone(b);  // slot 1 is free, so the engine tries c, but c needs the busy slot 0
    d.run_for(seconds(10));
    EXPECT_LT(*d.record(e).started, *d.record(c).started);
}

TEST(engine, starves_an_unpinned_request_after_a_pinned_one) {
    engine_driver d(timed(300));
    const task_id a = d.submit(prompt_of(10, 0));
    const task_id b = d.submit(prompt_of(10, 1));
    const task_id pinned = d.submit(prompt_of(10, 0));
    const task_id any = d.submit(prompt_of(10, -1));
    d.run_for(milliseconds(100));
    d.on_client_gone(b);
    d.run_for(milliseconds(1000));
    EXPECT_FALSE(d.slot(1).is_processing);
    EXPECT_FALSE(d.record(any).started);  // although slot 1 is idle
    d.run_for(seconds(10));
    EXPECT_TRUE(d.record(a).ended);
    EXPECT_TRUE(d.record(pinned).ended);
    EXPECT_TRUE(d.record(any).ended);
}

TEST(engine, wraps_a_slot_out_of_range) {
    engine_driver d(saying(3));
    EXPECT_EQ(d.record(d.submit(prompt_of(10, 7))).slot, 1);
}

TEST(engine, notices_a_cut_at_the_next_token_and_keeps_all_tokens) {
    engine_driver d(timed(100));
    const task_id id = d.submit(prompt_of(10));
    d.run_for(milliseconds(10 + 40));  // five tokens were sent; the last one is not in the slot yet
    d.on_client_gone(id);
    EXPECT_TRUE(d.slot(0).is_processing);
    d.run_for(milliseconds(10));
    EXPECT_FALSE(d.slot(0).is_processing);
    EXPECT_EQ(d.slot(0).cuts, 1);
    EXPECT_EQ(d.slot(0).tokens, 15);
    EXPECT_EQ(d.record(id).generated, 6);
    EXPECT_EQ(d.count(id, output_kind::event), 5);
    EXPECT_EQ(d.record(id).outcome, outcome::cut);
}

TEST(engine, notices_a_cut_of_a_prompt_at_the_poll_and_the_end_of_the_batch) {
    engine_driver d(timed(100));
    const task_id id = d.submit(prompt_of(5000));
    d.run_for(milliseconds(100));
    d.on_client_gone(id);
    d.run_for(milliseconds(1900));
    EXPECT_TRUE(d.slot(0).is_processing);
    d.run_for(milliseconds(100));
    EXPECT_FALSE(d.slot(0).is_processing);
    EXPECT_EQ(d.slot(0).tokens, 2048);
}

TEST(engine, does_not_notice_a_cut_of_a_prompt_while_others_stream) {
    options o = timed(2000);
    o.batch_size = 100;
    engine_driver d(o);
    d.submit(prompt_of(10, 1));
    const task_id id = d.submit(prompt_of(5000, 0));
    d.run_for(milliseconds(100));
    d.on_client_gone(id);
    d.run_for(seconds(10));
    EXPECT_EQ(d.slot(0).tokens, 5000);  // the whole prompt
    EXPECT_EQ(d.record(id).outcome, outcome::cut);
}

TEST(engine, does_not_notice_a_cut_of_a_prompt_while_slots_are_polled) {
    engine_driver d(timed(10));
    const task_id id = d.submit(prompt_of(5000));
    d.on_client_gone(id);
    for (int i = 0; i < 60; ++i) {
        d.poll_slots();
        d.run_for(milliseconds(100));
    }
    EXPECT_EQ(d.slot(0).tokens, 5000);
}

TEST(engine, drops_a_waiting_request_whose_client_has_gone) {
    options o = timed(10);
    engine_driver d(o);
    d.submit(prompt_of(5000));
    const task_id waiting = d.submit(prompt_of(10));
    d.on_client_gone(waiting);
    d.run_for(milliseconds(1100));
    EXPECT_TRUE(d.has(waiting, output_kind::cancelled));
}

TEST(engine, runs_a_request_whose_client_has_gone_if_others_streamed_meanwhile) {
    engine_driver d(timed(300));
    d.submit(prompt_of(10));
    const task_id ghost = d.submit(prompt_of(700));
    d.on_client_gone(ghost);
    d.run_for(seconds(10));
    EXPECT_TRUE(d.record(ghost).started);
    EXPECT_EQ(d.slot(0).tokens, 700);
    EXPECT_EQ(d.count(ghost, output_kind::event), 0);
}

TEST(engine, delays_a_slots_release_while_another_slots_prompt_is_in_the_batch) {
    engine_driver d(timed(100));
    const task_id cut = d.submit(prompt_of(10, 0));
    d.run_for(milliseconds(100));
    d.submit(prompt_of(400, 1));
    d.run_for(milliseconds(15));
    d.on_client_gone(cut);
    d.run_for(milliseconds(300));
    EXPECT_TRUE(d.slot(0).is_processing);
    d.run_for(milliseconds(200));
    EXPECT_FALSE(d.slot(0).is_processing);
}

TEST(engine, does_not_cancel_a_task_that_may_not_be_cancelled) {
    options o = saying(10);
    journal j(o.parallel);
    engine e(o, j);
    auto t = std::make_unique<task>();
    t->id = j.add_request({});
    t->request = prompt_of(5);
    t->cancellable = false;
    e.submit(std::move(t), {});
    e.begin_step({});
    e.on_client_gone(1, {});
    e.end_step({});
    while (e.begin_step({})) e.end_step({});
    EXPECT_EQ(e.take_outputs().back().kind, output_kind::final_event);
}

TEST(engine, erases_an_idle_slot_at_once_and_a_busy_one_later) {
    engine_driver d(timed(10));
    d.submit(prompt_of(50, 1));
    const task_id later = d.erase(1);
    EXPECT_TRUE(d.outputs_of(later).empty());
    d.run_for(seconds(1));
    EXPECT_EQ(d.outputs_of(later).at(0).payload, R"({"id_slot":1,"n_erased":60})");
    EXPECT_EQ(d.slot(1).tokens, 0);
    EXPECT_EQ(d.outputs_of(d.erase(9)).at(0).payload, R"({"id_slot":9,"n_erased":0})");
}

TEST(engine, pings_after_silence_but_not_before_the_stream_began) {
    options o = timed(100);
    o.sse_ping_interval = seconds(2);
    engine_driver d(o);
    const task_id id = d.submit(
        prompt_of(10), fault{.kind = fault_kind::stall, .at_token = 1, .duration = seconds(5)});
    const task_id waiting = d.submit(prompt_of(10));
    d.run_for(milliseconds(4500));
    EXPECT_EQ(d.count(id, output_kind::ping), 2);
    EXPECT_EQ(d.count(waiting, output_kind::ping), 0);
}

TEST(engine, pings_at_the_interval_that_a_request_asks_for) {
    engine_driver d(timed(100));
    completion_request r = prompt_of(10);
    r.sse_ping_interval = 1;
    const task_id id = d.submit(r, fault{.kind = fault_kind::stall, .at_token = 0});
    d.run_for(milliseconds(3500));
    EXPECT_EQ(d.count(id, output_kind::ping), 3);
    r.sse_ping_interval = -1;
    r.id_slot = 1;
    const task_id silent = d.submit(r, fault{.kind = fault_kind::stall, .at_token = 0});
    d.run_for(seconds(60));
    EXPECT_EQ(d.count(silent, output_kind::ping), 0);
}

}  // namespace
}  // namespace tandem::mock
