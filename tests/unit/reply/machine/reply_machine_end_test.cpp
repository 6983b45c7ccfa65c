// Replies that end before their text does, and their results.

#include "reply/machine/reply_machine.hpp"
#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::errc;
using tandem::finish_reason;
using tandem::detail::reply_phase;
using tandem::test::machine_driver;
using testing::ElementsAre;
using testing::IsEmpty;

// An interrupt in each phase ends the reply once and leaves nothing open.
struct interrupt_row {
    const char* name;
    void (*reach)(machine_driver&);
    std::vector<std::string> wants;
};
class reply_machine_interrupted : public testing::TestWithParam<interrupt_row> {};

TEST_P(reply_machine_interrupted, leaves_nothing_behind_and_ends_once) {
    machine_driver d;
    GetParam().reach(d);
    d.wants();
    d.interrupt();
    EXPECT_EQ(d.wants(), GetParam().wants);
    d.interrupt();
    d.go_on(0);
    d.ask();
    d.final();
    d.tokenized({1});
    d.grant(0);
    d.fail(errc::stream_incomplete);
    d.pass(100s);
    d.deadline();
    EXPECT_THAT(d.wants(), IsEmpty());
    EXPECT_FALSE(d.machine.deadline().has_value());
    EXPECT_EQ(d.machine.result().finish_reason, finish_reason::interrupted);
}

INSTANTIATE_TEST_SUITE_P(
    phases, reply_machine_interrupted,
    testing::Values(interrupt_row{"idle", [](machine_driver&) {}, {"end interrupted"}},
                    interrupt_row{"queued",
                                  [](machine_driver& d) { d.start(); },
                                  {"slot no more", "end interrupted"}},
                    interrupt_row{"first_token",
                                  [](machine_driver& d) { d.begin(); },
                                  {"close", "release 0, maybe busy", "end interrupted"}},
                    interrupt_row{"streaming",
                                  [](machine_driver& d) {
                                      d.begin();
                                      d.token("Hello");
                                  },
                                  {"close", "release 0", "end interrupted"}},
                    interrupt_row{"holding",
                                  [](machine_driver& d) {
                                      d.begin();
                                      d.token("Hello!");
                                  },
                                  {"close", "release 0", "end interrupted"}},
                    interrupt_row{"ready",
                                  [](machine_driver& d) {
                                      d.begin();
                                      d.machine.on_chunk_request_withdrawn();
                                      d.tokens("Hello!", " How");
                                  },
                                  {"end interrupted"}},
                    interrupt_row{"speaking",
                                  [](machine_driver& d) {
                                      d.begin();
                                      d.tokens("Hello!", " How");
                                  },
                                  {"end interrupted"}},
                    interrupt_row{"resolving",
                                  [](machine_driver& d) {
                                      d.begin();
                                      d.token("\xC3\xA9!", 169, 1);
                                      d.token(" How");
                                      d.go_on(0);
                                  },
                                  {"end interrupted"}}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(reply_machine, reports_true_usage_of_an_interrupted_reply) {
    machine_driver d;
    d.prompt_tokens = 41;
    d.timings = {.cached = 30, .evaluated = 11};
    d.begin();
    d.tokens("Hello", "!", " How");
    d.go_on(0);
    d.timings = {.cached = 40, .evaluated = 4};
    d.grant(1);
    d.tokens(" are", " you");
    d.interrupt();
    const auto& u = d.machine.result().usage;
    EXPECT_EQ(u.prompt, 41);
    EXPECT_EQ(u.cached, 70);
    EXPECT_EQ(u.evaluated, 15);
    EXPECT_EQ(u.generated, 5);
    EXPECT_EQ(u.handed_over, 2);
    EXPECT_EQ(u.heard, 2);
    EXPECT_EQ(u.wasted, 3);
}

TEST(reply_machine, gives_each_token_its_own_time) {
    machine_driver d;
    d.begin();
    for (int i = 0; i < 10; ++i) {
        d.token(" and");
        d.pass(9s);
        d.deadline();
    }
    EXPECT_FALSE(d.machine.ended());
}

TEST(reply_machine, ignores_prompt_progress) {
    machine_driver d;
    d.begin();
    tandem::wire::token_event progress;
    progress.what = tandem::wire::token_event::kind::progress;
    d.machine.on_event_read(d.now, progress);
    EXPECT_EQ(d.machine.phase(), reply_phase::first_token);
    EXPECT_THAT(d.wants(), IsEmpty());
}

TEST(reply_machine, gives_the_figures_of_a_request_to_its_first_chunk_only) {
    machine_driver d({.peek_hold = 1s,
                      .first_token_timeout = 1s,
                      .between_tokens_timeout = 1s,
                      .continue_timeout = 1s});
    d.timings = {.cached = 5, .evaluated = 6};
    d.begin();
    d.tokens("One.", " Two");
    d.go_on(0);
    d.ask();
    d.timings = {.cached = 50, .evaluated = 2};
    d.grant(1, false, 1500ms);
    d.wants();
    d.final();
    d.go_on(1);
    const auto& m = d.machine.result().metrics;
    EXPECT_EQ(d.machine.result().usage.cached, 55);
    EXPECT_EQ(d.machine.result().usage.evaluated, 8);
    EXPECT_EQ(m.guard_waits, 1);
    EXPECT_EQ(m.guard_wait_ms, 1500.0);
    EXPECT_EQ(m.chunks, 2);
    EXPECT_EQ(m.requests, 2);
    EXPECT_EQ(m.cuts, 1);
}

TEST(reply_machine, hands_over_a_sentence_that_waits_for_its_peek_before_it_fails) {
    auto rules = machine_driver::default_rules();
    rules.pacing = tandem::detail::make_pacing_rules(tandem::pacing::automatic, {});
    machine_driver d(rules);
    d.begin();
    d.tokens("It", " costs", " five", " dollars", "!");
    ASSERT_EQ(d.machine.phase(), reply_phase::holding);
    d.fail(errc::bad_request);
    EXPECT_THAT(d.wants(), testing::Contains("chunk 0 'It costs five dollars!' sentence"));
}

TEST(reply_machine, writes_a_timeline_in_order) {
    machine_driver d;
    d.begin();
    d.tokens("Bye", ".");
    d.final();
    d.go_on(0);
    std::vector<std::string> kinds;
    for (const auto& e : d.machine.result().timeline) kinds.emplace_back(to_string(e.what));
    EXPECT_THAT(kinds, ElementsAre("slot_wait", "request", "first_token", "boundary", "chunk",
                                   "continued", "end"));
}

}  // namespace
