#include "support/child_process.hpp"
#include "tandem_mock/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tandem::testing {
namespace {

child_process::ended run_example(const std::string& name, const mock::server& server) {
    child_process example(std::string(TANDEM_EXAMPLES "/example_") + name,
                          {.args = {server.url(), "Hello"}});
    return example.wait();
}

TEST(example, coroutine_speaks_each_sentence_and_tells_how_it_ended) {
    mock::options options;
    options.replies = {{"", "Good morning to you and to all of your family. How are you?"}};
    const mock::server server(options);
    const auto run = run_example("coroutine", server);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, ::testing::StartsWith("[Good morning to you and to all of your family.]\n"
                                               "[How are you?]\n"
                                               "eos, LLMSlotMetrics("));
}

TEST(example, channel_speaks_each_sentence_and_tells_how_it_ended) {
    mock::options options;
    options.replies = {{"", "Good morning to you and to all of your family. How are you?"}};
    const mock::server server(options);
    const auto run = run_example("channel", server);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out,
              "[Good morning to you and to all of your family.]\n"
              "[How are you?]\n"
              "eos\n");
}

TEST(example, conversation_keeps_what_was_heard) {
    mock::options options;
    options.replies = {
        {"Hello<|im_end|>\n<|im_start|>assistant\n",
         "Good morning to you and to all of your family. I have been waiting for you."},
        {"", "As you like."}};
    const mock::server server(options);
    const auto run = run_example("conversation", server);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out,
                ::testing::HasSubstr("bot: I have been waiting for you. (interrupted half-way)\n"));
    EXPECT_THAT(run.out,
                ::testing::EndsWith(
                    "  system: You are kind.\n"
                    "  user: Hello\n"
                    "  assistant: Good morning to you and to all of your family. I have been…\n"
                    "  user: Go on, please.\n"
                    "  assistant: As you like.\n"));
}

class example_of : public ::testing::TestWithParam<const char*> {};

TEST_P(example_of, a_reply_that_fails_tells_why_and_fails_too) {
    mock::options options;
    options.faults = {{.kind = mock::fault_kind::http_error,
                       .path = "/completion",
                       .status = 400,
                       .text = "no luck today"}};
    const mock::server server(options);
    const auto run = run_example(GetParam(), server);
    EXPECT_EQ(run.status, 1);
    EXPECT_THAT(run.err, ::testing::HasSubstr("no luck today"));
}

INSTANTIATE_TEST_SUITE_P(each, example_of,
                         ::testing::Values("coroutine", "channel", "conversation"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace tandem::testing
