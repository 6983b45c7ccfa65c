#include "reply/machine/reply_machine.hpp"
#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// Sentence ends that are certain without a peek.
namespace {

using namespace std::chrono_literals;
using tandem::errc;
using tandem::detail::reply_phase;
using tandem::detail::reply_rules;
using tandem::test::machine_driver;
using testing::ElementsAre;
using testing::IsEmpty;

class sure_end : public testing::Test {
 protected:
    sure_end() : sure_end(machine_driver::default_rules()) {}
    explicit sure_end(reply_rules rules)
        : d(rules, {.first_min_tokens = 0}, "P", tandem::boundary_rule::spoken) {
        d.begin();
        d.tokens("It", " works", ".");
    }

    machine_driver d;
};

TEST_F(sure_end, delivers_the_chunk_before_the_cut) {
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'It works.' sentence"));
    d.token(" Good");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0"));
    d.go_on(0);
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("slot?", "send 1 n=-1 101,7,7,7,7"));
}

TEST_F(sure_end, needs_no_other_request_if_the_reply_ends) {
    d.wants();
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0"));
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("end eos"));
}

TEST_F(sure_end, takes_white_space_for_no_peek) {
    d.wants();
    d.token(" ");
    EXPECT_THAT(d.wants(), IsEmpty());
    d.final(tandem::wire::stop_type::word);
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0"));
}

TEST_F(sure_end, ends_the_reply_for_a_consumer_that_asked_for_more_already) {
    d.wants();
    d.ask();
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "end eos"));
}

TEST_F(sure_end, waits_for_the_peek_as_long_as_a_hold_lasts) {
    d.wants();
    d.pass(249ms);
    d.deadline();
    EXPECT_THAT(d.wants(), IsEmpty());
    d.pass(1ms);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0"));
}

TEST_F(sure_end, lets_a_quick_continue_wait_for_the_peek) {
    d.go_on(0);
    EXPECT_EQ(d.machine.phase(), reply_phase::peeking);
    d.wants();
    d.token(" Good");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "slot?"));
}

TEST_F(sure_end, lets_a_quick_continue_wait_for_the_end_of_the_hold) {
    d.go_on(0);
    d.wants();
    d.pass(250ms);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "slot?"));
}

TEST_F(sure_end, ends_the_reply_at_a_quick_continue_if_nothing_follows) {
    d.go_on(0);
    d.wants();
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "end eos"));
}

TEST_F(sure_end, continues_with_another_request_if_the_peek_is_lost) {
    d.wants();
    d.fail(errc::stream_incomplete);
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0"));
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
}

TEST_F(sure_end, is_cut_at_once_by_an_interrupt) {
    d.wants();
    d.interrupt();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "end interrupted"));
}

TEST_F(sure_end, reads_no_more_than_the_peek) {
    d.tokens(" Good", " bye", ".");
    d.wants();
    d.go_on(0);
    d.grant(1);
    EXPECT_THAT(d.wants(), ElementsAre("slot?", "send 1 n=-1 101,7,7,7,7"));
}

class sure_end_without_hold : public sure_end {
 protected:
    sure_end_without_hold() : sure_end(rules()) {}

 private:
    static reply_rules rules() {
        auto r = machine_driver::default_rules();
        r.peek_hold = 0ms;
        return r;
    }
};

TEST_F(sure_end_without_hold, is_cut_at_once) {
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "chunk 0 'It works.' sentence"));
}

}  // namespace
