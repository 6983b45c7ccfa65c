#include "support/machine_driver.hpp"

#include <gtest/gtest.h>

// How near the limits came: the longest wait of each kind.
namespace tandem::detail {
namespace {

using namespace std::chrono_literals;
using test::machine_driver;

TEST(reply_figures, tell_the_longest_wait_for_a_first_token_and_between_tokens) {
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

TEST(reply_figures, tell_the_longest_wait_for_a_continue) {
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

TEST(reply_figures, tell_the_longest_connection_that_an_answer_came_by) {
    machine_driver d;
    d.begin();
    d.machine.answer_begun(d.now, 12ms);
    d.tokens("One", ".", " Two");
    d.go_on(0);
    d.grant(1);
    d.machine.answer_begun(d.now, 3ms);
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

TEST(reply_figures, take_a_stream_that_broke_for_no_matter_of_connecting) {
    machine_driver d;
    d.begin();
    d.pass(5s);
    d.fail(errc::stream_incomplete);
    EXPECT_EQ(d.machine.result().metrics.longest_connect_ms, 0);
}

}  // namespace
}  // namespace tandem::detail
