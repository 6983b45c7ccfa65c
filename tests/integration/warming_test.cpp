#include "integration/mock_fixture.hpp"
#include "support/prefilled_talk.hpp"

#include <algorithm>

// Slots that are prefilled while the voice speaks, as the server observes them.
namespace tandem::testing {
namespace {

class warming : public client_and_mock {
 protected:
    warming() {
        config.pacing.mode = pacing::warm;
        config.server.reuse_guard = 50ms;
    }
    std::vector<mock::request_record> completions() {
        return server->observe().of_path("/completion");
    }
    consumer say_warm() { return receive_prefilled_reply(loop, log, llm->start(prompt), story); }
    /// The prefill after the first chunk fails before the chunk is continued.
    consumer say_with_failed_prefill() {
        start_with({.kind = mock::fault_kind::reset, .at_token = 0, .skip = 1});
        std::optional<chunk> first;
        consumer said(llm->start(prompt), [&](consumer& self, const chunk& piece) {
            if (piece.id.seq > 0) return self.go_on(piece);
            first = piece;
        });
        loop.run_until(
            [&] { return first && log.count(log_level::info, "could not be prefilled") == 1; });
        said.go_on(*first);
        loop.run_to_end(said);
        return said;
    }
    static int max_evaluated(const consumer& said) {
        int most = 0;
        for (const auto& c : said.chunks())
            if (c.id.seq > 0) most = std::max(most, c.metrics.evaluated);
        return most;
    }
};

class warming_of : public warming, public ::testing::WithParamInterface<mock::memory_kind> {};

TEST_P(warming_of, leaves_the_next_request_one_token_to_evaluate) {
    server_options.memory = GetParam();
    // The text must be longer than the window. If it fits into the window, the server goes back to
    // a checkpoint even if the text is only extended.
    server_options.sliding_window = 8;
    start();
    const auto said = say_warm();
    EXPECT_EQ(said.text(), story);
    EXPECT_GT(said.chunks().size(), 5u);
    EXPECT_EQ(max_evaluated(said), 1);
    EXPECT_EQ(said.result().metrics.guard_waits, 0);
}

INSTANTIATE_TEST_SUITE_P(memories, warming_of,
                         ::testing::Values(mock::memory_kind::attention,
                                           mock::memory_kind::recurrent,
                                           mock::memory_kind::sliding_window));

TEST_F(warming, is_what_spares_a_recurrent_model_its_way_back) {
    server_options.memory = mock::memory_kind::recurrent;
    config.pacing.mode = pacing::strict;
    config.server.reuse_guard = 0s;
    start();
    const auto said = say();
    EXPECT_EQ(said.text(), story);
    EXPECT_GT(max_evaluated(said), 2);
}

TEST_F(warming, never_sends_a_slot_two_requests_at_once) {
    start();
    say_warm();
    for (const auto& r : completions()) EXPECT_FALSE(r.deferred);
}

TEST_F(warming, is_over_at_the_server_when_the_reply_is) {
    start();
    say_warm();
    EXPECT_TRUE(server_gets_idle());
}

// The prefill would take an hour, so only the interrupt can end it in time.
TEST_F(warming, is_dropped_on_an_interrupt) {
    mock::fault slow{.kind = mock::fault_kind::slow_headers, .duration = 1h, .id_slot = 1};
    server_options.faults = {slow};
    start();
    consumer said(llm->start(prompt), consumer::do_not_continue);
    ASSERT_TRUE(loop.run_until(
        [&] { return log.count(log_level::debug, "prefilling slot 1") == 1 || said.ended(); }));
    ASSERT_TRUE(server_sees([](const auto& o) { return o.of_path("/completion").size() == 2; }));
    said.interrupt();
    ASSERT_TRUE(loop.run_to_end(said));
    EXPECT_TRUE(server_sees([](const auto& o) { return o.open_connections == 0; }));
}

TEST_F(warming, that_fails_costs_the_reply_nothing) {
    const auto said = say_with_failed_prefill();
    EXPECT_FALSE(said.error()) << said.result().diagnostics.to_string();
    EXPECT_EQ(said.text(), story);
}

TEST_F(warming, that_fails_leaves_the_guard_as_the_build_needs_it) {
    config.server.reuse_guard = auto_guard;
    const auto said = say_with_failed_prefill();
    EXPECT_LT(said.result().metrics.guard_wait_ms, 1000) << "the build needs no guard";
}

}  // namespace
}  // namespace tandem::testing
