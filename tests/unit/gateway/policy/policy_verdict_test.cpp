#include "gateway/policy/policy_verdict.hpp"

#include "tandem/utf8.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <random>
#include <string>
#include <vector>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using result = policy_verdict::result;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// --- the question

TEST(policy_question, has_the_prompt_and_who_asks) {
    const auto body = json::parse(question_body({.request_id = "req-1",
                                                 .key = "reception",
                                                 .model = "talk",
                                                 .route = "/v1/voice",
                                                 .texts = {"You are kind.", "Hello!"},
                                                 .traceparent = "00-1-2-01"}));
    EXPECT_EQ(body, json::parse(R"({"request_id":"req-1","key":"reception","model":"talk",
                                    "route":"/v1/voice","texts":["You are kind.","Hello!"]})"));
}

TEST(policy_question, is_json_whatever_the_bytes) {
    const auto body =
        json::parse(question_body({.texts = {"a\xFF\"\n", std::string_view("\0", 1)}}));
    EXPECT_EQ(body["texts"][0], "a\uFFFD\"\n");
    EXPECT_EQ(body["texts"].size(), 2u);
}

// --- the verdict

struct verdict_case {
    const char* name;
    std::string body;
    result what;
    const char* words;
    int status = 200;
};
class verdict : public ::testing::TestWithParam<verdict_case> {};

TEST_P(verdict, is_read) {
    const auto& c = GetParam();
    const auto v = read_verdict(c.status, c.body);
    EXPECT_EQ(v.what, c.what) << to_string(v.what);
    EXPECT_EQ(v.words, c.words);
}

INSTANTIATE_TEST_SUITE_P(
    of_two_kinds, verdict,
    ::testing::Values(
        verdict_case{"that_allows", R"({"allowed": true})", result::allowed, ""},
        verdict_case{"that_allows_for_a_reason", R"({"allowed":true,"reason":"x"})",
                     result::allowed, ""},
        verdict_case{"that_refuses", R"({"allowed":false})", result::refused, ""},
        verdict_case{"with_a_reason", R"({"score":0.9,"reason":"No recipes.","allowed":false})",
                     result::refused, "No recipes."},
        verdict_case{"with_a_reason_of_several_lines",
                     R"({"allowed":false,"reason":" No\r\n\u001b[31mrecipes\u2028. "})",
                     result::refused, "No   [31mrecipes ."},
        verdict_case{"with_a_reason_that_is_no_text", R"({"allowed":false,"reason":7})",
                     result::refused, ""},
        verdict_case{"with_no_reason", R"({"allowed":false,"reason":null})", result::refused, ""}),
    [](const auto& row) { return std::string(row.param.name); });

INSTANTIATE_TEST_SUITE_P(
    that_cannot_be_used, verdict,
    ::testing::Values(
        verdict_case{"of_another_status", R"({"allowed":true})", result::failed,
                     "it answered with status 201", 201},
        verdict_case{"of_a_redirect", "", result::failed, "it answered with status 302", 302},
        verdict_case{"of_nothing", "", result::failed, "its answer is not valid JSON near byte 1"},
        verdict_case{"of_no_object", "[true]", result::failed, "its answer is no JSON object"},
        verdict_case{"of_another_object", R"({"allow":true})", result::failed,
                     R"(its answer has no "allowed" that is true or false)"},
        verdict_case{"of_a_text", R"({"allowed":"true"})", result::failed,
                     R"(its answer has no "allowed" that is true or false)"},
        verdict_case{"of_null", R"({"allowed":null})", result::failed,
                     R"(its answer has no "allowed" that is true or false)"}),
    [](const auto& row) { return std::string(row.param.name); });

TEST(policy_verdict, is_a_failure_where_it_is_too_large_or_too_deep) {
    const auto padded = R"({"allowed":true})" + std::string(max_verdict_bytes, ' ');
    EXPECT_EQ(read_verdict(200, padded).words, "it answered more than 64 KiB");
    EXPECT_EQ(read_verdict(200, padded.substr(0, max_verdict_bytes)).what, result::allowed);
    const auto deep = R"({"allowed":true,"x":)" + std::string(40, '[') + std::string(40, ']') + "}";
    EXPECT_EQ(read_verdict(200, deep).what, result::failed);
}

TEST(policy_verdict, has_a_reason_of_whole_characters_and_bounded_length) {
    std::string reason = "x";
    for (int i = 0; i < 400; ++i) reason += "é";
    const auto v = read_verdict(200, json{{"allowed", false}, {"reason", reason}}.dump());
    EXPECT_EQ(v.words.size(), 511u + 3u);
    EXPECT_TRUE(v.words.ends_with("é..."));
}

TEST(policy_verdict, that_failed_repeats_nothing_of_the_answer) {
    for (const std::string body : {R"({"allowed":"secret"})", "secret", R"(["secret"])"})
        EXPECT_THAT(read_verdict(200, body).words, Not(HasSubstr("secret")));
}

TEST(policy_verdict, is_read_whatever_comes) {
    std::mt19937 random(7);
    const std::vector<std::string> parts{"{",           "}",        "[",     "]",     "\"allowed\"",
                                         ":",           "true",     "false", ",",     "\"reason\"",
                                         "\"\\ud800\"", "\"\xFF\"", " ",     "1e999", "null"};
    for (int i = 0; i < 20'000; ++i) {
        std::string body;
        for (auto n = random() % 12; n > 0; --n) body += parts[random() % parts.size()];
        const auto v = read_verdict(200, body);
        EXPECT_EQ(sanitized_utf8(v.words), v.words) << body;
    }
}

// --- what the client is told

TEST(policy_error, tells_the_reason_of_a_refusal) {
    const auto e = error_of({result::refused, "No recipes."}, on_policy_failure::pass);
    ASSERT_TRUE(e);
    EXPECT_EQ(e->status, 400);
    EXPECT_EQ(e->code, "content_policy");
    EXPECT_EQ(e->type, "invalid_request_error");
    EXPECT_EQ(e->message, "the prompt is not allowed here: No recipes.");
    EXPECT_EQ(error_of({result::refused, ""}, on_policy_failure::pass)->message,
              "the prompt is not allowed here");
}

TEST(policy_error, tells_nothing_of_why_a_check_failed) {
    const auto e = error_of({result::failed, "http://10.0.0.7 is away"}, on_policy_failure::refuse);
    ASSERT_TRUE(e);
    EXPECT_EQ(e->status, 503);
    EXPECT_EQ(e->code, "policy_unavailable");
    EXPECT_EQ(e->retry_after, 1s);
    EXPECT_THAT(e->message, Not(HasSubstr("10.0.0.7")));
}

TEST(policy_error, is_none_where_the_prompt_may_pass) {
    EXPECT_FALSE(error_of({result::allowed, ""}, on_policy_failure::refuse));
    EXPECT_FALSE(error_of({result::failed, "it is away"}, on_policy_failure::pass));
}

// --- options

std::vector<std::string> faulty_fields(const policy_options& o) {
    std::vector<std::string> fields;
    for (const auto& f : check(o)) fields.push_back(f.field);
    return fields;
}

TEST(policy_options, have_a_url_as_that_of_a_server) {
    for (const auto* url :
         {"", "http://127.0.0.1:9000", "https://user:secret@policy.example/v1/check/"})
        EXPECT_THAT(faulty_fields({.url = url}), IsEmpty()) << url;
    for (const auto* url : {"policy.example", "ftp://policy.example", "http://a/?key=1", "http://"})
        EXPECT_THAT(faulty_fields({.url = url}), ::testing::ElementsAre("policy_url")) << url;
}

TEST(policy_options, have_a_time_that_ends) {
    const std::string url = "http://a:1";
    EXPECT_THAT(faulty_fields({.url = url, .timeout = 1ms}), IsEmpty());
    EXPECT_THAT(faulty_fields({.url = url, .timeout = 1min}), IsEmpty());
    EXPECT_THAT(faulty_fields({.url = url, .timeout = 0s}),
                ::testing::ElementsAre("policy_timeout"));
    const auto faults = check(policy_options{.url = url, .timeout = 2min});
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0].message, "is 120s; it must be 1ms to 60s");
}

TEST(policy_options, show_no_credentials_in_their_faults) {
    const auto faults = check(policy_options{.url = "ftp://user:secret@policy.example"});
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_THAT(faults[0].message, Not(HasSubstr("secret")));
}

}  // namespace
}  // namespace tandem::gateway
