// Pacing `auto`: how far ahead of the voice a reply is generated, and when the reply gives its slot
// away.

#include "support/machine_driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using namespace std::chrono_literals;
using tandem::to_ms;
using tandem::detail::reply_phase;
using tandem::test::machine_driver;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

/// A reply that is generated up to 8 s ahead. Speaking the first sentence takes 2 s. Each later
/// sentence takes 2.3 s, because it begins with the token that follows the previous sentence.
class auto_pacing : public testing::Test {
 protected:
    auto_pacing() : d(rules()) { d.begin(); }
    static tandem::detail::reply_rules rules() {
        auto r = machine_driver::default_rules();
        r.pacing = tandem::detail::make_pacing_rules(tandem::pacing::automatic, {});
        return r;
    }
    /// A sentence of 30 characters, at 15 characters per second, and the token after it.
    void sentence() { d.tokens(" Anna walks to the old harbour", ".", " And"); }
    int sentences_until_cut() {
        int read = 0;
        for (; d.machine.phase() != reply_phase::resting && read < 20; ++read) sentence();
        return read;
    }
    /// Continues all chunks before `chunk`, each after the time that the voice is expected to need
    /// for it.
    void go_on_to(std::uint32_t chunk) {
        for (std::uint32_t seq = 0; seq < chunk; ++seq) {
            d.pass(d.machine.pace().estimate(seq == 0 ? 30 : 35));
            d.go_on(seq);
            d.ask();
        }
    }
    double lead_ms() const { return to_ms(d.machine.speech_runs_out_at(d.now) - d.now); }

    machine_driver d;
};

TEST_F(auto_pacing, delivers_the_first_chunk_and_continues_to_read) {
    sentence();
    EXPECT_THAT(d.wants(), Contains(testing::StartsWith("chunk 0")));
    EXPECT_EQ(d.machine.phase(), reply_phase::streaming);
}

TEST_F(auto_pacing, reports_its_progress_from_the_first_token_and_after_each_chunk) {
    sentence();
    sentence();
    d.wants();
    EXPECT_THAT(d.progress, ElementsAre(0, 2, 5));
}

TEST(stream_pacing, reports_its_progress_too) {
    auto rules = machine_driver::default_rules();
    rules.pacing = tandem::detail::make_pacing_rules(tandem::pacing::stream, {});
    machine_driver d(rules);
    d.begin();
    d.tokens(" Anna walks to the old harbour", ".", " And");
    d.wants();
    EXPECT_THAT(d.progress, ElementsAre(0, 2));
}

TEST_F(auto_pacing, ends_the_request_once_the_voice_has_enough_to_say) {
    EXPECT_EQ(sentences_until_cut(), 4);
    EXPECT_GE(lead_ms(), 8000);
}

TEST_F(auto_pacing, asks_after_each_chunk_whether_another_reply_needs_the_slot) {
    sentence();
    EXPECT_THAT(d.wants(), Contains("slot 0 wanted?"));
    d.token(" the");
    EXPECT_THAT(d.wants(), IsEmpty()) << "not in mid-sentence";
}

TEST_F(auto_pacing, ends_the_request_after_a_chunk_if_another_reply_needs_the_slot) {
    d.is_slot_wanted = true;
    sentence();
    const auto wants = d.wants();
    EXPECT_THAT(wants, Contains("release 0"));
    EXPECT_THAT(wants, Contains("slot?")) << "it needs more, and waits for its turn";
}

TEST_F(auto_pacing, ignores_a_demand_that_comes_in_mid_sentence) {
    sentence();
    d.wants();
    d.token(" the");
    d.machine.on_slot_wanted(d.now);
    EXPECT_THAT(d.wants(), IsEmpty());
}

TEST_F(auto_pacing, requests_more_when_half_of_the_lead_is_left) {
    sentences_until_cut();
    d.ask();
    go_on_to(2);
    EXPECT_EQ(d.machine.phase(), reply_phase::resting);
    d.wants();
    d.now = *d.machine.deadline();
    EXPECT_NEAR(lead_ms(), 4000, 1);
    d.deadline();
    EXPECT_THAT(d.wants(), ElementsAre("slot?"));
}

TEST_F(auto_pacing, requests_more_at_a_continue_that_comes_sooner_than_expected) {
    sentences_until_cut();
    for (std::uint32_t seq = 0; seq < 3; ++seq) {
        d.ask();
        d.pass(100ms);
        d.go_on(seq);
    }
    EXPECT_EQ(d.machine.phase(), reply_phase::queued);
}

// --- when the listener has nothing left to hear

TEST_F(auto_pacing, is_due_since_the_turn_began_before_the_first_chunk) {
    const auto began = d.now;
    d.pass(700ms);
    d.tokens(" Anna", " walks");
    EXPECT_EQ(d.machine.speech_runs_out_at(d.now), began);
}

TEST_F(auto_pacing, is_due_when_the_spoken_chunk_and_those_after_it_end) {
    sentence();
    EXPECT_NEAR(lead_ms(), 2000, 70);
    sentence();
    EXPECT_NEAR(lead_ms(), 2000 + 2333, 70);
    d.pass(1s);
    EXPECT_NEAR(lead_ms(), 1000 + 2333, 70);
}

TEST_F(auto_pacing, is_due_since_the_listener_waits) {
    sentence();
    d.pass(2s);
    d.go_on(0);
    const auto silent_since = d.now;
    d.pass(300ms);
    EXPECT_EQ(d.machine.speech_runs_out_at(d.now), silent_since);
}

TEST_F(auto_pacing, believes_the_consumer_about_the_end_of_the_spoken_chunk) {
    sentence();
    d.wants();
    d.machine.speaks_until(d.now, {d.machine.id(), 0}, 700ms);
    EXPECT_NEAR(lead_ms(), 700, 1);
    d.machine.speaks_until(d.now, {d.machine.id(), 1}, 9s);
    EXPECT_NEAR(lead_ms(), 700, 1) << "chunk 1 is not spoken";
}

TEST_F(auto_pacing, believes_in_no_speech_that_is_longer_than_a_continue_may_take) {
    sentence();
    d.wants();
    d.machine.speaks_until(d.now, {d.machine.id(), 0}, tandem::duration::max());
    EXPECT_NEAR(lead_ms(), to_ms(rules().continue_timeout), 1);
}

TEST_F(auto_pacing, changes_its_slot_request_when_the_voice_continues) {
    d.is_slot_wanted = true;
    sentence();
    d.wants();
    d.pass(500ms);
    d.go_on(0);
    EXPECT_THAT(d.wants(), ElementsAre("slot, due 0 ms"));
}

}  // namespace
