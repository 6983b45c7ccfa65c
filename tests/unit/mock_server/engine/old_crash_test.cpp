#include "engine_driver.hpp"

#include <gtest/gtest.h>

namespace tandem::mock {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::engine_driver;
using test::prompt_of;
using test::timed;

options fragile() {
    options o = timed(1000);
    o.crash_within = milliseconds(500);
    return o;
}

TEST(the_old_crash, comes_when_a_cut_slot_is_reached_too_soon) {
    engine_driver d(fragile());
    const task_id id = d.submit(prompt_of(10, 0));
    d.run_for(milliseconds(100));
    d.on_client_gone(id);
    d.run_for(milliseconds(499));
    EXPECT_FALSE(d.crashed());
    d.submit(prompt_of(20, 0));
    EXPECT_TRUE(d.crashed());
    EXPECT_NE(d.outputs_of(0).at(0).payload.find("GGML_ASSERT(!slot.is_processing()) failed"),
              std::string::npos);
}

TEST(the_old_crash, comes_when_the_cut_was_not_noticed_yet) {
    engine_driver d(fragile());
    const task_id id = d.submit(prompt_of(10, 0));
    d.run_for(milliseconds(100));
    d.on_client_gone(id);
    d.submit(prompt_of(20, 0));
    EXPECT_TRUE(d.crashed());
}

TEST(the_old_crash, comes_when_the_next_request_overtook_the_cut) {
    engine_driver d(fragile());
    const task_id id = d.submit(prompt_of(10, 0));
    d.run_for(milliseconds(100));
    d.submit(prompt_of(20, 0));
    d.on_client_gone(id);
    d.run_for(milliseconds(20));
    EXPECT_TRUE(d.crashed());
}

TEST(the_old_crash, comes_when_a_prompt_was_cut) {
    engine_driver d(fragile());
    const task_id id = d.submit(prompt_of(1000, 0));
    d.run_for(milliseconds(100));
    d.on_client_gone(id);
    d.submit(prompt_of(20, 0));
    EXPECT_TRUE(d.crashed());
}

TEST(the_old_crash, does_not_come_after_the_guard) {
    engine_driver d(fragile());
    const task_id id = d.submit(prompt_of(10, 0));
    d.run_for(milliseconds(100));
    d.on_client_gone(id);
    d.run_for(milliseconds(500));
    d.submit(prompt_of(20, 0));
    EXPECT_FALSE(d.crashed());
}

TEST(the_old_crash, does_not_come_on_the_other_slot) {
    engine_driver d(fragile());
    const task_id id = d.submit(prompt_of(10, 0));
    d.run_for(milliseconds(100));
    d.on_client_gone(id);
    d.submit(prompt_of(20, 1));
    d.run_for(milliseconds(20));
    EXPECT_FALSE(d.crashed());
}

TEST(the_old_crash, does_not_come_after_a_reply_that_ended_by_itself) {
    options o = fragile();
    o.replies[0].reply = "Short.";
    engine_driver d(o);
    const task_id id = d.submit(prompt_of(10, 0));
    d.run_for(milliseconds(100));
    d.on_client_gone(id);
    d.submit(prompt_of(20, 0));
    d.run_for(milliseconds(100));
    EXPECT_FALSE(d.crashed());
}

TEST(the_old_crash, stops_everything) {
    engine_driver d(fragile());
    const task_id other = d.submit(prompt_of(10, 1));
    const task_id id = d.submit(prompt_of(10, 0));
    d.run_for(milliseconds(100));
    d.on_client_gone(id);
    d.submit(prompt_of(20, 0));
    d.run_for(milliseconds(10));
    const int events = d.count(other, output_kind::event);
    d.run_for(seconds(10));
    EXPECT_EQ(d.count(other, output_kind::event), events);
}

}  // namespace
}  // namespace tandem::mock
