#include "support/child_process.hpp"
#include "tandem_mock/server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tandem::testing {
namespace {

std::string program_of(const std::string& example) {
    return TANDEM_EXAMPLES "/example_" + example;
}

child_process::ended run_example(const std::string& name, const mock::server& server) {
    child_process example(program_of(name), {.args = {server.url(), "Hello"}});
    return example.wait();
}

// Runs the example against a server that answers with a greeting.
child_process::ended greeted_by(const std::string& example) {
    mock::options options;
    options.replies = {{"", "Good morning to you and to all of your family. How are you?"}};
    const mock::server server(options);
    return run_example(example, server);
}

TEST(example, talk_answers_each_line_by_sentences) {
    mock::options options;
    options.replies = {{"", "Good morning to you and to all of your family. How are you?"}};
    const mock::server server(options);
    child_process example(program_of("talk"),
                          {.args = {server.url()}, .input = "Hello\nAnd now?\n"});
    const auto run = example.wait();
    EXPECT_EQ(run.status, 0) << run.err;
    const std::string answer = "Good morning to you and to all of your family.\nHow are you?\n";
    EXPECT_EQ(run.out, answer + answer);
}

TEST(example, coroutine_speaks_each_sentence_and_reports_how_it_ended) {
    const auto run = greeted_by("coroutine");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, ::testing::StartsWith("[Good morning to you and to all of your family.]\n"
                                               "[How are you?]\n"
                                               "eos, LLMSlotMetrics("));
}

TEST(example, callback_speaks_each_sentence_and_reports_how_it_ended) {
    const auto run = greeted_by("callback");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, ::testing::StartsWith("[Good morning to you and to all of your family.]\n"
                                               "[How are you?]\n"
                                               "eos, LLMSlotMetrics("));
}

TEST(example, channel_speaks_each_sentence_and_reports_how_it_ended) {
    const auto run = greeted_by("channel");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out,
              "[Good morning to you and to all of your family.]\n"
              "[How are you?]\n"
              "eos\n");
}

TEST(example, functions_greets_calls_a_function_and_reports_what_came_of_it) {
    mock::options options;
    options.tool_template = true;
    options.replies = {{mock::render_prompt({{"tool", "16:05"}}), "It is five past four."},
                       {"",
                        "One moment.\n<tool_call>\n{\"name\": \"get_time\", \"arguments\": "
                        "{\"zone\": \"UTC\"}}\n</tool_call>"}};
    const mock::server server(options);
    const auto run = run_example("functions", server);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, ::testing::StartsWith("bot: Good afternoon.\nuser: Hello\n"));
    EXPECT_THAT(run.out, ::testing::HasSubstr("bot: One moment.\n"));
    EXPECT_THAT(run.out, ::testing::HasSubstr("(calls get_time {\"zone\": \"UTC\"})\n"));
    EXPECT_THAT(run.out, ::testing::EndsWith("bot: It is five past four.\n"));
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

// The part of `sentence` that is in the history, which the example prints last.
std::string heard_of(const std::string& sentence, const std::string& out) {
    const auto at = out.rfind(sentence.substr(0, 5));
    if (at == std::string::npos) return {};
    return out.substr(at, out.find_first_of("\n", at) - at);
}

TEST(example, barge_in_keeps_what_was_heard_when_the_user_talked) {
    // The user talks after 3 s, during the second sentence: at 40 ms a letter, the voice begins
    // that sentence after 1.3 s, and would end it 5 s later.
    const std::string first = "Oh, I do say a good day to you.";
    const std::string second =
        "There has never been as fine a day as this one is, I should say, nor one on which I would "
        "have been as glad to sit in the garden.";
    mock::options options;
    options.replies = {{"Hello<|im_end|>\n<|im_start|>assistant\n", first + " " + second + " Bye."},
                       {"go on.<|im_end|>\n<|im_start|>assistant\n", "As you like."}};
    const mock::server server(options);
    const auto run = run_example("barge_in", server);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, ::testing::StartsWith("user: Hello\nbot: " + first + "\nbot: " + second +
                                               "\nuser: Sorry, go on.\nbot: As you like.\n"));
    const auto kept = heard_of(second, run.out);
    EXPECT_THAT(run.out, ::testing::EndsWith("user: Hello\nassistant: " + first + " " + kept +
                                             "\nuser: Sorry, go on.\nassistant: As you like.\n"));
    EXPECT_THAT(second, ::testing::StartsWith(kept + " "));
}

TEST(example, two_servers_continues_at_the_other_one_when_the_first_dies) {
    mock::options options;
    options.replies = {{"Hello<|im_end|>\n<|im_start|>assistant\n",
                        "Good morning to you and to your family. How have you been? Come in."},
                       {"", "As you like."}};
    const mock::server well(options);
    // In the middle of the second sentence.
    options.faults = {{.kind = mock::fault_kind::crash, .at_token = 11, .times = 0}};
    const mock::server dies(options);
    child_process example(program_of("two_servers"), {.args = {dies.url(), well.url(), "Hello"}});
    const auto run = example.wait();
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_TRUE(dies.crashed());
    EXPECT_THAT(run.out,
                ::testing::StartsWith("\nuser: Hello\n(" + dies.url() +
                                      ")\nGood morning to you and to your family.\n(" + well.url() +
                                      ")\nHow have you been?\nCome in.\n"
                                      "(a server was lost, and no word of the reply)\n"
                                      "\nuser: Go on, please.\n(" +
                                      well.url() + ")\nAs you like.\n"));
    EXPECT_THAT(run.out, ::testing::HasSubstr(dies.url() + " is down "));
    EXPECT_THAT(run.out, ::testing::HasSubstr(well.url() + " is up"));
}

class example_of : public ::testing::TestWithParam<const char*> {};

TEST_P(example_of, a_reply_that_fails_reports_why_and_fails_too) {
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
                         ::testing::Values("barge_in", "callback", "channel", "conversation",
                                           "coroutine"),
                         [](const auto& row) { return std::string(row.param); });

}  // namespace
}  // namespace tandem::testing
