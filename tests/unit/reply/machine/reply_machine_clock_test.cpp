#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

// For each limit, the machine requests a wake-up at the exact nanosecond and ends the reply then.
namespace {

using namespace std::chrono_literals;
using tandem::errc;
using tandem::test::machine_driver;

tandem::detail::reply_rules rules() {
    auto rules = machine_driver::default_rules();
    rules.queue_timeout = 20s;
    rules.reply_timeout = 100s;
    rules.retry_policy = {.retries = 2, .resume_within = 3s};
    return rules;
}

// The request fails, and no server is reported as available.
void lose(machine_driver& d) {
    d.fail(errc::stream_incomplete);
    d.wants();
}

struct clock_row {
    const char* name;
    /// The limit is measured from the last step of this function.
    void (*reach)(machine_driver&);
    tandem::duration limit;
    const char* end;
    bool goes_on = false;
};
class reply_machine_clock : public testing::TestWithParam<clock_row> {
 protected:
    static auto without_retries() {
        auto r = rules();
        r.retry_policy.retries = 0;
        return r;
    }
    static auto rules_of(const clock_row& row) { return row.goes_on ? rules() : without_retries(); }
};

TEST_P(reply_machine_clock, ends_the_reply_at_its_limit_and_not_before) {
    machine_driver d(rules_of(GetParam()));
    GetParam().reach(d);
    d.wants();
    const auto due = d.now + GetParam().limit;
    EXPECT_EQ(d.machine.deadline(), due);
    d.now = due - 1ns;
    d.deadline();
    EXPECT_FALSE(d.machine.ended());
    EXPECT_EQ(d.machine.deadline(), due);
    d.now = due;
    d.deadline();
    const auto wanted = d.wants();
    ASSERT_FALSE(wanted.empty());
    EXPECT_EQ(wanted.back(), GetParam().end);
    EXPECT_FALSE(d.machine.deadline());
}

INSTANTIATE_TEST_SUITE_P(limits, reply_machine_clock,
                         testing::Values(clock_row{"queue",
                                                   [](machine_driver& d) {
                                                       d.ask();
                                                       d.start();
                                                   },
                                                   20s, "end queue_timeout"},
                                         clock_row{"queue_of_a_later_request",
                                                   [](machine_driver& d) {
                                                       d.begin();
                                                       d.tokens("Hello!", " How");
                                                       d.pass(5s);
                                                       d.ask();
                                                       d.go_on(0);
                                                   },
                                                   20s, "end queue_timeout"},
                                         clock_row{"first_token",
                                                   [](machine_driver& d) {
                                                       d.ask();
                                                       d.start();
                                                       d.pass(5s);
                                                       d.grant(0);
                                                   },
                                                   60s, "end first_token_timeout"},
                                         clock_row{"between_tokens",
                                                   [](machine_driver& d) {
                                                       d.begin();
                                                       d.pass(5s);
                                                       d.token("Hello");
                                                   },
                                                   10s, "end between_tokens_timeout"},
                                         clock_row{"between_tokens_without_text",
                                                   [](machine_driver& d) {
                                                       d.begin();
                                                       d.pass(5s);
                                                       d.token("");
                                                   },
                                                   10s, "end between_tokens_timeout"},
                                         clock_row{"continue",
                                                   [](machine_driver& d) {
                                                       d.begin();
                                                       d.pass(5s);
                                                       d.tokens("Hello!", " How");
                                                   },
                                                   30s, "end continue_timeout"},
                                         clock_row{"chunk_not_taken",
                                                   [](machine_driver& d) {
                                                       d.begin();
                                                       d.pass(5s);
                                                       d.machine.on_chunk_request_withdrawn();
                                                       d.tokens("Hello!", " How");
                                                   },
                                                   30s, "end continue_timeout"},
                                         clock_row{"resume_with_no_server_known",
                                                   [](machine_driver& d) {
                                                       d.begin();
                                                       d.token("Hello");
                                                       d.pass(5s);
                                                       lose(d);
                                                   },
                                                   3s, "end stream_incomplete", true},
                                         clock_row{"resume_with_no_slot",
                                                   [](machine_driver& d) {
                                                       d.begin();
                                                       d.pass(5s);
                                                       lose(d);
                                                       d.found();
                                                   },
                                                   3s, "end stream_incomplete", true}),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(reply_machine_clock, ends_a_reply_at_the_limit_of_the_whole) {
    machine_driver d(rules());
    const auto due = d.now + 100s;
    d.begin();
    for (; d.now < due - 5s; d.pass(5s)) d.token(" and");
    EXPECT_EQ(d.machine.deadline(), due);
    d.now = due;
    d.wants();
    d.deadline();
    EXPECT_EQ(d.wants().back(), "end reply_timeout");
    EXPECT_FALSE(d.machine.deadline());
}

}  // namespace
