#include "recording/prompt_redaction_json.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <string>

namespace {

using nlohmann::json;
using namespace tandem::wire;
using testing::HasSubstr;
using testing::Not;

json request(std::string_view path, const json& body) {
    return json::parse(remove_request_prompts(path, body.dump()));
}

json answer(std::string_view path, const json& body) {
    return json::parse(remove_answer_prompts(path, body.dump()));
}

TEST(prompt_removal, leaves_the_rest_of_a_completion) {
    EXPECT_EQ(request("/completion", {{"prompt", "secret"},
                                      {"id_slot", 1},
                                      {"stop", {"secret"}},
                                      {"grammar", "secret"},
                                      {"json_schema", {{"secret", 1}}}}),
              (json{{"id_slot", 1}}));
}

TEST(prompt_removal, leaves_no_message_and_no_id) {
    EXPECT_EQ(request("/apply-template",
                      {{"messages", {{{"role", "user"}, {"content", "secret"}}}}, {"tools", {1}}}),
              json::object());
    EXPECT_EQ(request("/tokenize", {{"content", "secret"}, {"add_special", true}}),
              (json{{"add_special", true}}));
    EXPECT_EQ(request("/detokenize", {{"tokens", {1, 2}}}), json::object());
}

TEST(prompt_removal, keeps_lengths_in_answers) {
    EXPECT_EQ(answer("/apply-template", {{"prompt", "secret"}}), (json{{"prompt", "xxxxxx"}}));
    EXPECT_EQ(answer("/tokenize", {{"tokens", {7, 8, 9}}}), (json{{"tokens", {0, 0, 0}}}));
    EXPECT_EQ(answer("/detokenize", {{"content", "ab"}}), (json{{"content", "xx"}}));
}

TEST(prompt_removal, finds_prompts_of_slots) {
    EXPECT_EQ(answer("/slots", {{{"id", 0}, {"prompt", "secret"}}, {{"id", 1}}}),
              (json{{{"id", 0}, {"prompt", "xxxxxx"}}, {{"id", 1}}}));
}

TEST(prompt_removal, leaves_what_reports_none) {
    for (const auto* path : {"/props", "/health", "/slots/1?action=erase", "/lora-adapters"}) {
        EXPECT_FALSE(path_carries_prompts(path)) << path;
        EXPECT_EQ(remove_answer_prompts(path, R"({"prompt": 1})"), R"({"prompt": 1})");
    }
    EXPECT_TRUE(path_carries_prompts("/slots?fail_on_no_slot=1"));
}

TEST(prompt_removal, leaves_lines_of_a_stream_that_report_what_was_generated) {
    for (const auto* line :
         {"data: {\"content\":\"spoken\"}\n", ": ping\n", "\n", "\r\n", "event: message\n"})
        EXPECT_EQ(remove_stream_line_prompts(line), line);
}

TEST(prompt_removal, finds_the_prompt_in_a_final_event) {
    EXPECT_EQ(remove_stream_line_prompts(
                  "data: {\"stop\":true,\"prompt\":\"secret\",\"generation_settings\":{}}\n"),
              "data: {\"stop\":true}\n");
}

TEST(prompt_removal, finds_what_errors_in_a_stream_say) {
    EXPECT_EQ(
        remove_stream_line_prompts("data: {\"error\":{\"code\":500,\"message\":\"secret\"}}\n"),
        "data: {\"error\":{\"code\":500,\"message\":\"xxxxxx\"}}\n");
    EXPECT_EQ(remove_stream_line_prompts("error: {\"code\":500,\"message\":\"secret\"}\n"),
              "error: {\"code\":500,\"message\":\"xxxxxx\"}\n");
}

TEST(prompt_removal, finds_what_errors_say_in_any_shape) {
    for (const auto* error : {R"("secret")", R"({"code":400,"param":"secret"})",
                              R"({"code":400,"details":["secret"]})", R"(["secret"])"}) {
        const auto body = fmt::format(R"({{"error":{}}})", error);
        EXPECT_THAT(remove_answer_prompts("/completion", body), Not(HasSubstr("secret"))) << error;
        EXPECT_THAT(remove_stream_line_prompts("data: " + body + "\n"), Not(HasSubstr("secret")))
            << error;
    }
    EXPECT_EQ(remove_stream_line_prompts("data: {\"code\":500,\"message\":\"secret\"}\n"),
              "data: {\"code\":500,\"message\":\"xxxxxx\"}\n");
}

TEST(prompt_removal, keeps_how_much_too_long_a_prompt_is) {
    const json error{{"code", 400},
                     {"type", "exceed_context_size_error"},
                     {"message", "xx"},
                     {"n_prompt_tokens", 5000},
                     {"n_ctx", 4096}};
    EXPECT_EQ(answer("/completion", {{"error", error}}), (json{{"error", error}}));
}

// The stop word comes from the request, so it is removed like the prompt.
TEST(prompt_removal, finds_the_stop_word_in_a_final_event) {
    EXPECT_EQ(remove_stream_line_prompts("data: {\"stop\":true,\"stop_type\":\"word\","
                                         "\"stopping_word\":\"secret\"}\n"),
              "data: {\"stop\":true,\"stop_type\":\"word\"}\n");
}

TEST(prompt_removal, leaves_nothing_of_lines_that_are_none_of_a_stream) {
    for (const auto* line : {"{\"prompt\":\"secret\"}\n", "data: secret\n", "secret\n",
                             "secret: 1\n", "data", "error"})
        EXPECT_EQ(remove_stream_line_prompts(line), "");
}

// Bytes that cannot be parsed may contain anything.
TEST(prompt_removal, leaves_nothing_of_what_is_no_json) {
    EXPECT_EQ(remove_request_prompts("/completion", R"({"prompt": "secret")"), "");
    EXPECT_EQ(remove_answer_prompts("/tokenize", "secret"), "");
    const std::string deep = std::string(100'000, '[') + "\"secret\"";
    EXPECT_THAT(remove_answer_prompts("/tokenize", deep), Not(HasSubstr("secret")));
}

// llama-server adds this member if it logs verbosely.
TEST(prompt_removal, removes_the_prompt_that_a_verbose_server_adds_to_a_chat_answer) {
    EXPECT_THAT(remove_answer_prompts("/v1/chat/completions",
                                      R"({"choices":[],"__verbose":{"prompt":"secret"}})"),
                Not(HasSubstr("secret")));
}

}  // namespace
