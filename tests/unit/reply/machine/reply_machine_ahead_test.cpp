#include "reply/machine/reply_machine.hpp"
#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

// The modes that generate before the continue: ahead and stream.
namespace {

using namespace std::chrono_literals;
using tandem::errc;
using tandem::pacing;
using tandem::detail::reply_phase;
using tandem::detail::reply_rules;
using tandem::test::machine_driver;
using testing::ElementsAre;
using testing::IsEmpty;

reply_rules paced(pacing mode, int ahead_chunks, int held_chunks_max) {
    auto rules = machine_driver::default_rules();
    rules.pacing = tandem::detail::make_pacing_rules(
        mode, {.ahead_chunks = ahead_chunks, .held_chunks_max = held_chunks_max});
    return rules;
}

/// Reads sentences of two tokens. A sentence end is known only at the token after it.
class paced_reply : public testing::Test {
 protected:
    explicit paced_reply(const reply_rules& rules) : d(rules) { d.begin(); }
    void sentences(int count) {
        for (int i = 0; i < count; ++i) d.tokens(" Go", ".");
    }

    machine_driver d;
};

/// A reply with the pacing of grammar-constrained replies.
class uncut_reply : public paced_reply {
 protected:
    uncut_reply() : paced_reply(rules()) {}
    static reply_rules rules() {
        auto rules = machine_driver::default_rules();
        rules.pacing = tandem::detail::uncut;
        return rules;
    }
};

TEST_F(uncut_reply, is_one_request_however_many_chunks_wait) {
    sentences(1000);
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 ' Go.' sentence"));
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0"));
    for (std::uint32_t seq = 0; seq < 999; ++seq) {
        d.ask();
        d.go_on(seq);
    }
    EXPECT_EQ(d.wants().size(), 999u) << "one chunk for each token";
    EXPECT_EQ(d.machine.result().metrics.cuts, 0);
}

class ahead_of_one : public paced_reply {
 protected:
    ahead_of_one() : paced_reply(paced(pacing::ahead, 1, 16)) {}
};

TEST_F(ahead_of_one, keeps_reading_after_the_first_chunk) {
    sentences(1);
    d.token(" On");
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 ' Go.' sentence"));
    EXPECT_EQ(d.machine.phase(), reply_phase::streaming);
}

TEST_F(ahead_of_one, cuts_when_one_chunk_is_held_back) {
    sentences(2);
    d.token(" On");
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 ' Go.' sentence", "close", "release 0"));
    EXPECT_EQ(d.machine.phase(), reply_phase::resting);
}

TEST_F(ahead_of_one, delivers_the_held_chunk_at_the_continue_and_generates_the_next) {
    sentences(2);
    d.token(" On");
    d.wants();
    d.ask();
    EXPECT_THAT(d.wants(), IsEmpty());
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' Go.' sentence", "slot?"));
}

TEST_F(ahead_of_one, delivers_nothing_before_the_continue) {
    sentences(1);
    d.ask();
    sentences(1);
    d.token(" On");
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 ' Go.' sentence", "close", "release 0"));
}

TEST_F(ahead_of_one, delivers_a_chunk_before_it_asks_for_later_ones) {
    sentences(2);
    d.token(" On");
    d.wants();
    d.go_on(0);
    EXPECT_THAT(d.wants(), IsEmpty());
    d.ask();
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' Go.' sentence", "slot?"));
}

TEST_F(ahead_of_one, ends_after_the_last_chunk_and_not_before) {
    sentences(2);
    d.final();
    d.wants();
    d.ask();
    EXPECT_THAT(d.wants(), IsEmpty());
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' Go.' end"));
    d.go_on(1);
    EXPECT_THAT(d.wants(), ElementsAre("end eos"));
}

TEST_F(ahead_of_one, delivers_what_was_complete_before_a_failure_and_then_reports_it) {
    sentences(1);
    d.token(" On");
    sentences(1);
    d.token(" lost");
    d.wants();
    d.ask();
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' On Go.' sentence", "slot?"));
    d.grant(1);
    d.fail(errc::stream_incomplete);
    EXPECT_THAT(d.wants(), ElementsAre("send 1 n=-1 101,7,7,7,7,7,7", "close", "release 1"));
    d.go_on(1);
    EXPECT_THAT(d.wants(), ElementsAre("end stream_incomplete"));
    EXPECT_EQ(d.machine.result().unspoken_text, " lost");
}

TEST_F(ahead_of_one, drops_what_is_held_back_on_an_interrupt) {
    sentences(2);
    d.token(" On");
    d.wants();
    d.interrupt();
    EXPECT_THAT(d.wants(), ElementsAre("end interrupted"));
    EXPECT_EQ(d.machine.result().text, " Go.");
    EXPECT_EQ(d.machine.result().unspoken_text, " Go. On");
    EXPECT_EQ(d.machine.result().usage.wasted, 3);
}

TEST_F(ahead_of_one, reports_the_gap_of_each_chunk) {
    sentences(2);
    d.token(" On");
    d.wants();
    d.pass(3s);
    d.go_on(0);
    d.pass(7ms);
    d.ask();
    const auto actions = d.machine.take_actions();
    const auto& handed = std::get<tandem::detail::action::hand_over>(actions.front());
    EXPECT_DOUBLE_EQ(handed.value.metrics.gap_ms, 7.0);
    d.interrupt();
    EXPECT_DOUBLE_EQ(d.machine.result().metrics.longest_gap_ms, 7.0);
}

class ahead_of_two : public paced_reply {
 protected:
    ahead_of_two() : paced_reply(paced(pacing::ahead, 2, 16)) {}
};

TEST_F(ahead_of_two, reports_which_request_made_the_chunk_though_another_one_was_sent_since) {
    d.timings = {.cached = 1, .evaluated = 40};
    sentences(3);
    d.token(" On");
    d.ask();
    d.go_on(0);
    d.wants();
    d.grant(1);
    d.token(" and");
    d.ask();
    d.wants();
    d.go_on(1);
    const auto actions = d.machine.take_actions();
    const auto& handed = std::get<tandem::detail::action::hand_over>(actions.front());
    EXPECT_EQ(handed.value.id.seq, 2u);
    EXPECT_EQ(handed.value.metrics.slot, 0);
}

class sure_end_ahead : public testing::Test {
 protected:
    sure_end_ahead()
        : d(paced(pacing::ahead, 1, 16), {.first_min_tokens = 0}, "P",
            tandem::boundary_rule::spoken) {
        d.begin();
        d.tokens("It", " works", ".", " It", " does", ".");
    }

    machine_driver d;
};

TEST_F(sure_end_ahead, waits_for_the_peek_with_the_cut) {
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 'It works.' sentence"));
    EXPECT_EQ(d.machine.phase(), reply_phase::peeking);
    d.token(" Yes");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0"));
}

TEST_F(sure_end_ahead, needs_no_cut_if_the_continue_comes_before_the_peek) {
    d.wants();
    d.ask();
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' It does.' sentence"));
    EXPECT_EQ(d.machine.phase(), reply_phase::streaming);
    d.tokens(" Yes", " it", " does", ".", " So");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0"));
}

class streamed : public paced_reply {
 protected:
    streamed() : paced_reply(paced(pacing::stream, 1, 4)) {}
};

TEST_F(streamed, is_one_request_while_few_chunks_are_held_back) {
    sentences(4);
    d.final();
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 ' Go.' sentence", "close", "release 0"));
    for (std::uint32_t seq = 0; seq < 4; ++seq) {
        d.ask();
        d.go_on(seq);
    }
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' Go.' sentence", "chunk 2 ' Go.' sentence",
                                       "chunk 3 ' Go.' end", "end eos"));
}

TEST_F(streamed, is_cut_when_as_many_are_held_back_as_may_be) {
    sentences(5);
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 ' Go.' sentence"));
    d.token(" On");
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0"));
}

TEST_F(streamed, continues_when_half_of_them_were_spoken) {
    sentences(5);
    d.token(" On");
    d.wants();
    for (std::uint32_t seq = 0; seq < 2; ++seq) {
        d.ask();
        d.go_on(seq);
    }
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' Go.' sentence", "chunk 2 ' Go.' sentence"));
    d.ask();
    d.go_on(2);
    EXPECT_THAT(d.wants(), ElementsAre("chunk 3 ' Go.' sentence", "slot?"));
}

TEST_F(streamed, waits_no_longer_for_a_continue_than_in_other_modes) {
    sentences(2);
    d.pass(1s);
    sentences(1);
    d.wants();
    d.pass(9s);
    d.token(" On");
    d.pass(9s);
    d.token(" and");
    d.pass(9s);
    d.token(" on");
    d.pass(2s);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("close", "release 0", "end continue_timeout"));
}

TEST_F(streamed, tells_a_server_that_stalls_once_all_is_spoken) {
    sentences(2);
    d.pass(10s);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("chunk 0 ' Go.' sentence", "late: between_tokens_timeout",
                                       "close", "release 0"));
    d.ask();
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("chunk 1 ' Go.' sentence"));
    d.go_on(1);
    EXPECT_THAT(d.wants(), ElementsAre("end between_tokens_timeout"));
}

}  // namespace
