#include "integration/mock_fixture.hpp"
#include "integration/service_fixture.hpp"

#include <fmt/format.h>

// A stream that the server closes before the final event.
namespace tandem::testing {
namespace {

using mock::fault_kind;

class closed_stream : public client_and_mock, public ::testing::WithParamInterface<fault_kind> {
 protected:
    closed_stream() {
        config.limits.connect_timeout = config.limits.first_token_timeout =
            config.limits.between_tokens_timeout = config.limits.continue_timeout =
                config.limits.request_timeout = config.limits.queue_timeout = 1h;
        config.chunking.peek_hold = 60s;
    }
};

// With these limits, the test would take an hour if only a timeout reported the failure.
TEST_P(closed_stream, is_reported_by_the_close_itself) {
    start_with({.kind = GetParam(), .at_token = 5, .skip = 1});
    const auto c = expect_failure(errc::stream_incomplete);
    EXPECT_TRUE(is_retryable(c.error()));
    EXPECT_EQ(log.count(log_level::error, fmt::format("reply {}: stream_incomplete: ", c.id())),
              1u);
    EXPECT_EQ(c.chunks().size(), 1u);
    EXPECT_EQ(c.result().text, c.chunks()[0].text) << "only what was handed over";
    EXPECT_NE(c.result().unspoken_text, "");
    EXPECT_EQ(std::string(story).rfind(c.text() + c.result().unspoken_text, 0), 0u);
    EXPECT_TRUE(server_gets_idle());
}

std::string way_of(const ::testing::TestParamInfo<fault_kind>& way) {
    switch (way.param) {
        case fault_kind::close:
            return "by_fin";
        case fault_kind::reset:
            return "by_rst";
        case fault_kind::half_event:
            return "in_mid_event";
        default:
            return "without_the_final_event";
    }
}

INSTANTIATE_TEST_SUITE_P(each, closed_stream,
                         ::testing::Values(fault_kind::close, fault_kind::reset,
                                           fault_kind::half_event, fault_kind::no_final),
                         way_of);

class closed_stream_of_a_turn : public service_and_mocks {
 protected:
    closed_stream_of_a_turn() { config.client.failover.retries = 0; }
};

TEST_F(closed_stream_of_a_turn, leaves_what_was_handed_over_in_history_and_in_the_next_prompt) {
    config.client.pacing.mode = pacing::strict;
    answers_with("And now?", "Now I am well.");
    start();
    server().inject({.kind = fault_kind::close, .at_token = 2, .skip = 1});
    auto talk = bots->create();
    const auto broken = say(talk, "Hello!");
    expect_error(broken, errc::stream_incomplete);
    EXPECT_EQ(broken.text(), "Hello.");
    EXPECT_NE(broken.result().unspoken_text, "");
    EXPECT_EQ(message(talk, -1), "Hello.");
    EXPECT_EQ(say(talk, "And now?").text(), "Now I am well.");
    const auto asked_for = completions(server());
    EXPECT_EQ(asked_for.at(2).prompt, asked("Hello!") + "Hello.<|im_end|>\n" + asked("And now?"));
}

}  // namespace
}  // namespace tandem::testing
