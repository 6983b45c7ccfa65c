#include "support/machine_driver.hpp"

#include <gtest/gtest.h>

#include <vector>

// The longest waits, which show how close a reply came to its limits, and the data in chunks and
// timeline.
namespace tandem::detail {
namespace {

using namespace std::chrono_literals;
using test::machine_driver;

TEST(reply_figures, report_the_longest_wait_for_a_first_token_and_between_tokens) {
    machine_driver d;
    d.begin();
    d.pass(40ms);
    d.token("One");
    d.pass(7ms);
    d.token(".");
    d.pass(2ms);
    d.token(" Two");
    d.go_on(0);
    d.grant(1);
    d.pass(90ms);
    d.token(" Two");
    d.interrupt();
    const auto& m = d.machine.result().metrics;
    EXPECT_EQ(m.longest_first_token_ms, 90);
    EXPECT_EQ(m.longest_token_gap_ms, 7);
}

TEST(reply_figures, count_waits_that_the_limit_ended) {
    machine_driver d;
    d.begin();
    d.pass(60s);
    d.deadline();
    EXPECT_EQ(d.machine.result().error, errc::first_token_timeout);
    EXPECT_EQ(d.machine.result().metrics.longest_first_token_ms, 60'000);
    EXPECT_EQ(d.machine.result().metrics.longest_token_gap_ms, 0);
}

TEST(reply_figures, count_the_wait_for_a_token_that_a_failure_ended) {
    machine_driver d;
    d.begin();
    d.token("One");
    d.pass(5s);
    d.fail(errc::stream_incomplete);
    EXPECT_EQ(d.machine.result().metrics.longest_first_token_ms, 0);
    EXPECT_EQ(d.machine.result().metrics.longest_token_gap_ms, 5'000);
}

TEST(reply_figures, take_the_time_in_which_nothing_is_requested_for_no_gap) {
    machine_driver d;
    d.begin();
    d.tokens("One", ".", " Two");
    d.pass(20s);
    d.go_on(0);
    d.pass(3s);
    d.grant(1);
    d.tokens(" Two");
    d.final();
    d.ask();
    d.interrupt();
    EXPECT_EQ(d.machine.result().metrics.longest_first_token_ms, 0);
    EXPECT_EQ(d.machine.result().metrics.longest_token_gap_ms, 0);
}

TEST(reply_figures, report_the_longest_wait_for_a_continue) {
    machine_driver d;
    d.begin();
    d.tokens("One", ".", " Two");
    d.pass(4s);
    d.go_on(0);
    d.ask();
    d.grant(1);
    d.tokens(" Two", ".", " Three");
    d.pass(1s);
    d.interrupt();
    EXPECT_EQ(d.machine.result().metrics.longest_continue_ms, 4'000);
}

TEST(reply_figures, count_the_wait_for_a_continue_that_never_came) {
    machine_driver d;
    d.begin();
    d.tokens("One", ".", " Two");
    d.pass(30s);
    d.deadline();
    EXPECT_EQ(d.machine.result().error, errc::continue_timeout);
    EXPECT_EQ(d.machine.result().metrics.longest_continue_ms, 30'000);
}

TEST(reply_figures, report_the_longest_connection_that_an_answer_came_by) {
    machine_driver d;
    d.begin();
    d.machine.on_response_started(d.now, 12ms);
    d.tokens("One", ".", " Two");
    d.go_on(0);
    d.grant(1);
    d.machine.on_response_started(d.now, 3ms);
    d.interrupt();
    EXPECT_EQ(d.machine.result().metrics.longest_connect_ms, 12);
}

TEST(reply_figures, count_a_connection_that_never_came_up) {
    machine_driver d;
    d.begin();
    d.pass(5s);
    d.fail(errc::connect_timeout);
    EXPECT_EQ(d.machine.result().metrics.longest_connect_ms, 5'000);
    EXPECT_EQ(d.machine.result().metrics.longest_first_token_ms, 5'000);
}

TEST(reply_figures, report_which_request_made_a_chunk_also_one_that_waited_for_its_hand_over) {
    auto rules = machine_driver::default_rules();
    rules.pacing = make_pacing_rules(pacing::ahead, {});
    machine_driver d(rules);
    d.begin();
    d.tokens(" Go", ".", " Go", ".", " On");
    d.go_on(0);
    d.ask();
    d.go_on(1);
    d.ask();
    d.grant(1);
    d.tokens(" On", ".", " On", ".", " Off");
    d.wants();
    std::vector<int> requests;
    for (const auto& c : d.handed_over) requests.push_back(c.metrics.request);
    EXPECT_EQ(requests, (std::vector{0, 0, 1}));
}

TEST(reply_figures, report_for_each_request_how_long_the_guard_held_it_back) {
    machine_driver d;
    d.ask();
    d.start();
    d.grant(0, false, 30ms);
    d.interrupt();
    std::vector<double> waits;
    for (const auto& e : d.machine.result().timeline)
        if (e.what == timeline_event::kind::request) waits.push_back(e.guard_wait_ms);
    EXPECT_EQ(waits, std::vector{30.0});
}

TEST(reply_figures, count_the_events_that_the_timeline_has_no_room_for) {
    machine_driver d;
    d.begin();
    for (int i = 0; i < 2000; ++i) {
        d.tokens(" Go", ".", " On");
        d.go_on(static_cast<std::uint32_t>(i));
        d.ask();
        d.grant(0);
    }
    d.interrupt();
    const auto& r = d.machine.result();
    EXPECT_EQ(r.timeline.size(), 4096u);
    EXPECT_EQ(r.timeline.back().what, timeline_event::kind::end);
    // For each chunk: first token, boundary, cut, hand-over, continue, wait, request.
    EXPECT_EQ(static_cast<int>(r.timeline.size()) + r.dropped_events, 2 + 2000 * 7 + 2);
}

TEST(reply_figures, list_each_request_with_its_times_and_tokens) {
    machine_driver d;
    d.begin();
    d.pass(40ms);
    d.timings = {.cached = 3, .evaluated = 5};
    d.tokens("One", ".");
    d.pass(10ms);
    d.token(" Two");
    d.pass(1s);
    d.go_on(0);
    d.grant(1);
    d.pass(20ms);
    d.interrupt();
    const auto& all = d.machine.result().requests;
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0].slot, 0);
    EXPECT_EQ(all[0].sent_ns, 0);
    EXPECT_EQ(duration(all[0].first_token_ns), 40ms);
    EXPECT_EQ(duration(all[0].ended_ns), 50ms);
    EXPECT_EQ(all[0].cached, 3);
    EXPECT_EQ(all[0].evaluated, 5);
    EXPECT_EQ(all[0].generated, 3);
    EXPECT_EQ(all[1].slot, 1);
    EXPECT_EQ(duration(all[1].sent_ns), 1050ms);
    EXPECT_EQ(all[1].first_token_ns, -1);
    EXPECT_EQ(duration(all[1].ended_ns), 1070ms);
    EXPECT_EQ(all[1].generated, 0);
}

TEST(reply_figures, drop_no_event_of_a_short_reply) {
    machine_driver d;
    d.begin();
    d.interrupt();
    EXPECT_EQ(d.machine.result().dropped_events, 0);
}

TEST(reply_figures, take_a_stream_that_broke_for_no_matter_of_connecting) {
    machine_driver d;
    d.begin();
    d.pass(5s);
    d.fail(errc::stream_incomplete);
    EXPECT_EQ(d.machine.result().metrics.longest_connect_ms, 0);
}

}  // namespace
}  // namespace tandem::detail
