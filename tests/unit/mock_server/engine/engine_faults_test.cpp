#include "engine_driver.hpp"

#include <gtest/gtest.h>

namespace tandem::mock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::engine_driver;
using test::prompt_of;
using test::saying;
using test::timed;

TEST(engine_faults, stall_one_slot_for_a_time_without_holding_up_the_others) {
    engine_driver d(timed(50));
    const task_id stalled = d.submit(
        prompt_of(10, 0), fault{.kind = fault_kind::stall, .at_token = 3, .duration = seconds(2)});
    const task_id other = d.submit(prompt_of(10, 1));
    d.run_for(milliseconds(1900));
    EXPECT_EQ(d.count(stalled, output_kind::event), 3);
    EXPECT_TRUE(d.has(other, output_kind::final_event));
    d.run_for(seconds(2));
    EXPECT_TRUE(d.has(stalled, output_kind::final_event));
    EXPECT_EQ(d.slot(0).tokens, 60);
}

TEST(engine_faults, leave_a_stalled_slot_to_be_released_when_the_client_gives_up) {
    engine_driver d(timed(50));
    const task_id id = d.submit(prompt_of(10), fault{.kind = fault_kind::stall, .at_token = 3});
    d.run_for(milliseconds(500));
    d.on_client_gone(id);
    d.run_for(seconds(1));
    EXPECT_FALSE(d.slot(0).is_processing);
    EXPECT_EQ(d.record(id).outcome, outcome::cut);
}

TEST(engine_faults, have_a_reply_continue_whose_cut_is_noticed_late) {
    engine_driver d(timed(1000));
    const task_id id =
        d.submit(prompt_of(10), fault{.kind = fault_kind::unnoticed_cut, .duration = seconds(3)});
    d.run_for(milliseconds(10 + 90));  // ten tokens
    d.on_client_gone(id);
    d.run_for(milliseconds(2999));
    EXPECT_TRUE(d.slot(0).is_processing);
    d.run_for(milliseconds(11));
    EXPECT_FALSE(d.slot(0).is_processing);
    EXPECT_EQ(d.record(id).outcome, outcome::cut);
    EXPECT_EQ(d.slot(0).tokens, 10 + 310);
}

TEST(engine_faults, keep_a_slot_busy_whose_cut_is_never_noticed) {
    engine_driver d(timed(50));
    const task_id id = d.submit(prompt_of(10), fault{.kind = fault_kind::unnoticed_cut});
    const task_id other = d.submit(prompt_of(10, 1));
    d.run_for(milliseconds(100));
    d.on_client_gone(id);
    const task_id waiting = d.submit(prompt_of(10));
    d.run_for(std::chrono::hours(1));
    EXPECT_TRUE(d.slot(0).is_processing);
    EXPECT_EQ(d.record(id).generated, 51);
    EXPECT_FALSE(d.record(waiting).started);
    EXPECT_TRUE(d.has(other, output_kind::final_event));
}

TEST(engine_faults, let_go_late_of_a_request_that_waits_or_has_its_prompt_processed) {
    engine_driver d(timed(50));
    const fault late{.kind = fault_kind::unnoticed_cut, .duration = seconds(10)};
    const task_id prompt = d.submit(prompt_of(5000, 0), late);
    const task_id waiting = d.submit(prompt_of(10, 0), late);
    d.on_client_gone(prompt);
    d.on_client_gone(waiting);
    d.run_for(seconds(9));
    EXPECT_EQ(d.record(prompt).generated, 51);
    EXPECT_FALSE(d.record(waiting).started);
    d.run_for(seconds(2));
    EXPECT_TRUE(d.record(waiting).ended);
    EXPECT_FALSE(d.slot(0).is_processing);
}

TEST(engine_faults, leave_a_reply_alone_that_is_not_cut) {
    engine_driver d(timed(50));
    const task_id id = d.submit(prompt_of(10), fault{.kind = fault_kind::unnoticed_cut});
    d.run_for(seconds(1));
    EXPECT_TRUE(d.has(id, output_kind::final_event));
    EXPECT_FALSE(d.slot(0).is_processing);
}

TEST(engine_faults, break_a_stream_with_an_error_event) {
    engine_driver d(saying(10));
    const task_id id = d.submit(
        prompt_of(10),
        fault{.kind = fault_kind::stream_error, .at_token = 2, .status = 500, .text = "boom"});
    d.run_for(seconds(0));
    const auto out = d.outputs_of(id);
    ASSERT_EQ(out.size(), 4u);
    EXPECT_EQ(out[3].kind, output_kind::error_event);
    EXPECT_EQ(
        out[3].payload,
        "data: {\"error\":{\"code\":500,\"message\":\"boom\",\"type\":\"server_error\"}}\n\n");
    EXPECT_EQ(d.record(id).outcome, outcome::failed);
    EXPECT_FALSE(d.slot(0).is_processing);
}

TEST(engine_faults, refuse_a_request_with_an_error_before_the_first_token) {
    engine_driver d(saying(10));
    const task_id id =
        d.submit(prompt_of(10), fault{.kind = fault_kind::stream_error, .at_token = 0});
    EXPECT_EQ(d.outputs_of(id).at(0).kind, output_kind::refusal);
    EXPECT_EQ(d.outputs_of(id).at(0).status, 500);
}

}  // namespace
}  // namespace tandem::mock
