// Chunks that are handed over before the continue of the spoken chunk.

#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::to_ms;
using tandem::test::machine_driver;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

/// A reply of four sentences of two tokens each. Its generation has ended, and two chunks may be
/// handed over early.
class lookahead : public testing::Test {
 protected:
    lookahead() : d(rules()) {
        d.begin();
        d.tokens("Anna walks to the old harbour", ".", " Ben walks to the old market", ".",
                 " Cleo walks to the old tower", ".", " Dan walks to the old bridge", ".");
        d.final();
        d.wants();
    }
    static tandem::detail::reply_rules rules() {
        auto r = machine_driver::default_rules();
        r.pacing = tandem::detail::make_pacing_rules(tandem::pacing::automatic, {});
        r.lookahead = 2;
        return r;
    }
    void ask_for(int chunks) {
        for (int i = 0; i < chunks; ++i) d.ask();
    }
    machine_driver d;
};

TEST_F(lookahead, delivers_that_many_chunks_beyond_the_spoken_one) {
    ask_for(2);
    EXPECT_THAT(d.wants(), ElementsAre(StartsWith("chunk 1"), StartsWith("chunk 2")));
    d.ask();
    EXPECT_THAT(d.wants(), IsEmpty()) << "two are early already";
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre(StartsWith("chunk 3")));
}

TEST_F(lookahead, marks_the_chunks_that_may_not_be_spoken_yet) {
    ask_for(1);
    d.wants();
    EXPECT_FALSE(d.handed_over[0].early);
    EXPECT_TRUE(d.handed_over[1].early);
}

TEST_F(lookahead, ends_when_all_chunks_were_continued) {
    ask_for(3);
    d.go_on(0);
    d.ask();
    d.go_on(1);
    d.go_on(2);
    EXPECT_FALSE(d.machine.ended()) << "the last chunk is spoken";
    d.go_on(3);
    EXPECT_THAT(d.wants(), Contains("end eos"));
    EXPECT_EQ(d.machine.result().usage.heard, 8);
}

TEST_F(lookahead, ends_normally_if_the_last_chunks_are_never_continued) {
    ask_for(3);
    d.go_on(0);
    d.ask();
    d.pass(30s);
    d.deadline();
    EXPECT_THAT(d.wants(), Contains("end eos"));
    EXPECT_EQ(d.machine.result().usage.heard, 2);
}

TEST_F(lookahead, takes_the_continue_of_a_later_chunk_for_those_before_it) {
    ask_for(2);
    d.go_on(1);
    d.interrupt();
    EXPECT_EQ(d.machine.result().usage.heard, 4);
}

TEST_F(lookahead, ignores_the_continue_of_a_chunk_that_was_not_handed_over) {
    ask_for(1);
    d.go_on(2);
    d.interrupt();
    EXPECT_EQ(d.machine.result().usage.heard, 0);
}

TEST_F(lookahead, counts_no_gap_before_an_early_chunk) {
    d.pass(1s);
    ask_for(1);
    d.go_on(0);
    d.pass(3s);
    ask_for(1);
    d.wants();
    EXPECT_EQ(d.handed_over[1].metrics.gap_ms, 0);
    EXPECT_EQ(d.handed_over[2].metrics.gap_ms, 0) << "chunk 1 is still spoken";
}

TEST_F(lookahead, expects_the_voice_to_speak_the_early_chunks_after_the_first_one) {
    const auto due = d.machine.speech_runs_out_at(d.now);
    ask_for(2);
    EXPECT_EQ(d.machine.speech_runs_out_at(d.now), due)
        << "a hand-over changes nothing about what is to be spoken";
    d.machine.speaks_until(d.now, {1, 0}, 5s);
    EXPECT_NEAR(to_ms(d.machine.speech_runs_out_at(d.now) - due), 3000, 1)
        << "5 s instead of the expected 2";
}

TEST_F(lookahead, learns_the_pace_of_chunks_that_are_spoken_one_after_another) {
    ask_for(2);
    const auto expected = d.machine.pace().estimate(50);
    for (std::uint32_t seq = 0; seq < 3; ++seq) {
        d.pass(3s);
        d.go_on(seq);
        d.ask();
    }
    EXPECT_GT(d.machine.pace().estimate(50), expected) << "the voice is slower than expected";
}

}  // namespace
