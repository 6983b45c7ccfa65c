#include "tandem/recording.hpp"

#include "integration/mock_fixture.hpp"

#include "tandem/config_fields.hpp"

#include <vector>

// A reply is recorded, and played back without the server.
namespace tandem::testing {
namespace {

using mock::fault;
using mock::fault_kind;

class recording_test : public client_and_mock {
 protected:
    recording_test() {
        config.failover.retries = 3;
        config.failover.resume_within = 5s;
        config.limits.between_tokens_timeout = 400ms;
    }

    /// Records a reply and returns its chunks.
    std::vector<chunk> record(recorder_options options = {}) {
        start();
        instruments.record = std::make_shared<recorder>(
            [this](std::string_view line) { lines.append(line) += '\n'; }, options);
        connect();
        const auto said = say();
        EXPECT_EQ(said.text(), story);
        instruments.record.reset();
        llm.reset();
        server->stop();
        return said.chunks();
    }
    consumer play() {
        error_code ec;
        diagnostics diag;
        instruments.play = recording::read(lines, ec, diag);
        EXPECT_TRUE(instruments.play) << diag.client_message;
        instruments.play->set_speed(0);
        connect();
        return say();
    }
    // Treats the boundary `end` as `sentence`, because a race between the consumer and the reply's
    // end decides whether the last chunk has it.
    void expect_the_same(const std::vector<chunk>& recorded) {
        const auto said = play();
        EXPECT_FALSE(said.error()) << said.result().diagnostics.to_string();
        ASSERT_EQ(said.chunks().size(), recorded.size());
        for (std::size_t i = 0; i < recorded.size(); ++i) {
            EXPECT_EQ(said.chunks()[i].text, recorded[i].text);
            EXPECT_EQ(said.chunks()[i].tokens, recorded[i].tokens);
        }
        const auto place = [](const chunk& c) {
            return c.boundary == boundary::end ? boundary::sentence : c.boundary;
        };
        for (std::size_t i = 0; i < recorded.size(); ++i)
            EXPECT_EQ(place(said.chunks()[i]), place(recorded[i]));
    }

    std::string lines;
};

TEST_F(recording_test, gives_the_same_chunks) {
    const auto recorded = record();
    EXPECT_GE(recorded.size(), 8u);
    expect_the_same(recorded);
}

TEST_F(recording_test, gives_the_same_chunks_in_each_pacing) {
    for (const auto mode : {pacing::warm, pacing::ahead, pacing::stream}) {
        SCOPED_TRACE(to_string(mode));
        config.pacing.mode = mode;
        instruments.play.reset();
        lines.clear();
        expect_the_same(record());
    }
}

TEST_F(recording_test, of_one_pacing_gives_the_same_text_in_another_one) {
    for (const auto mode : {pacing::strict, pacing::stream}) {
        SCOPED_TRACE(to_string(mode));
        config.pacing.mode = mode;
        instruments.play.reset();
        lines.clear();
        record();
        config.pacing.mode = pacing::ahead;
        EXPECT_EQ(play().text(), story);
    }
}

TEST_F(recording_test, gives_the_same_text_in_other_chunks) {
    const auto recorded = record();
    config.chunking.first_chunk_min_tokens = 1;
    config.chunking.first_chunk_max_tokens = 2;
    config.chunking.chunk_max_tokens = 3;
    const auto said = play();
    EXPECT_FALSE(said.error()) << said.result().diagnostics.to_string();
    EXPECT_EQ(said.text(), story);
    EXPECT_GT(said.chunks().size(), 2 * recorded.size());
}

TEST_F(recording_test, plays_without_the_prompts_that_were_left_out) {
    const auto recorded = record({.prompts = false});
    EXPECT_EQ(lines.find("Zanzibar"), std::string::npos);
    expect_the_same(recorded);
}

TEST_F(recording_test, has_no_key) {
    record();
    EXPECT_EQ(lines.find("zebra"), std::string::npos);
}

TEST_F(recording_test, reports_the_replies_in_it) {
    record();
    error_code ec;
    const auto read = recording::read(lines, ec);
    ASSERT_TRUE(read);
    ASSERT_EQ(read->replies().size(), 1u);
    EXPECT_EQ(read->replies()[0].prompt, prompt);
    EXPECT_EQ(read->servers(), std::vector<std::string>{config.server.url});
}

TEST_F(recording_test, that_cannot_be_read_is_bad_response) {
    error_code ec;
    diagnostics diag;
    EXPECT_FALSE(recording::read("{\"ms\":0}\n", ec, diag));
    EXPECT_EQ(ec, errc::bad_response);
    EXPECT_THAT(diag.client_message, ::testing::StartsWith("line 1 "));
}

TEST_F(recording_test, that_is_played_twice_reports_that_there_is_no_reply_left) {
    record();
    play();
    const auto again = say();
    EXPECT_EQ(again.error(), errc::bad_request);
    EXPECT_THAT(again.result().diagnostics.server_message, ::testing::HasSubstr("no more replies"));
}

// The reply continues after each fault. On playback, the reply fails and continues at the same
// places.
class recorded_fault : public recording_test, public ::testing::WithParamInterface<fault> {};

TEST_P(recorded_fault, gives_the_same_chunks_and_the_same_failures) {
    server_options.faults = {GetParam()};
    const auto recorded = record();
    const auto failures = [this] {
        return log.count(log_level::warning, "continues from the text");
    };
    const auto then = failures();
    EXPECT_GE(then, 1u);
    expect_the_same(recorded);
    EXPECT_EQ(failures(), 2 * then);
}

TEST_P(recorded_fault, gives_the_same_text_in_other_chunks) {
    server_options.faults = {GetParam()};
    record();
    config.chunking.first_chunk_min_tokens = 1;
    config.chunking.first_chunk_max_tokens = 3;
    config.chunking.chunk_max_tokens = 5;
    const auto said = play();
    EXPECT_FALSE(said.error()) << said.result().diagnostics.to_string();
    EXPECT_EQ(said.text(), story);
}

INSTANTIATE_TEST_SUITE_P(
    each, recorded_fault,
    ::testing::Values(fault{.kind = fault_kind::reset, .at_token = 5},
                      fault{.kind = fault_kind::close, .at_token = 6, .times = 3},
                      fault{.kind = fault_kind::half_event, .at_token = 4},
                      fault{.kind = fault_kind::garbage, .at_token = 4},
                      fault{.kind = fault_kind::no_final},
                      fault{.kind = fault_kind::stream_error, .at_token = 4},
                      fault{.kind = fault_kind::stall, .at_token = 4, .duration = 60s},
                      fault{.kind = fault_kind::http_error, .skip = 2},
                      fault{.kind = fault_kind::unavailable, .skip = 1, .times = 2}));

}  // namespace
}  // namespace tandem::testing
