#include "gateway/json/api_error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using tandem::errc;
using tandem::gateway::api_error;
using tandem::gateway::encode_error_body;
using tandem::gateway::to_api_error;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(api_error, is_reported_as_openai_does) {
    const api_error e{.status = 400,
                      .type = "invalid_request_error",
                      .message = "role is \"wizard\"",
                      .param = "messages[0].role"};
    EXPECT_EQ(json::parse(encode_error_body(e)), json::parse(R"({"error":{
        "message":"role is \"wizard\"","type":"invalid_request_error",
        "param":"messages[0].role","code":null}})"));
}

TEST(api_error, replaces_bytes_that_are_no_text) {
    EXPECT_TRUE(json::accept(encode_error_body({.message = "\xff\xfe"})));
}

TEST(api_error, says_of_a_failure_whose_fault_it_is) {
    EXPECT_EQ(to_api_error(errc::prompt_too_long, {}).status, 400);
    EXPECT_EQ(to_api_error(errc::prompt_too_long, {}).code, "context_length_exceeded");
    EXPECT_EQ(to_api_error(errc::queue_full, {}).status, 429);
    EXPECT_EQ(to_api_error(errc::queue_full, {}).retry_after, 1s);
    EXPECT_EQ(to_api_error(errc::no_model, {}).status, 503);
    EXPECT_EQ(to_api_error(errc::connect_failed, {}).status, 503);
    EXPECT_EQ(to_api_error(errc::between_tokens_timeout, {}).status, 504);
    EXPECT_EQ(to_api_error(errc::connect_timeout, {}).status, 504);
    EXPECT_EQ(to_api_error(errc::unauthorized, {}).status, 502) << "the gateway's own key is wrong";
}

TEST(api_error, passes_on_what_the_server_says_of_the_request_alone) {
    const tandem::diagnostics diag{.client_message = "refused", .server_message = "no such field"};
    EXPECT_THAT(to_api_error(errc::bad_request, diag).message, HasSubstr("no such field"));
    EXPECT_THAT(to_api_error(errc::server_error, diag).message, Not(HasSubstr("no such field")));
}

TEST(api_error, tells_clients_nothing_of_where_servers_are) {
    const tandem::diagnostics diag{.client_message = "server http://10.0.0.7:8080 is down"};
    EXPECT_THAT(to_api_error(errc::no_model, diag).message, Not(HasSubstr("10.0.0.7")));
    EXPECT_THAT(to_api_error(errc::connect_failed, diag).message, Not(HasSubstr("10.0.0.7")));
}

TEST(api_error, names_nothing_that_a_client_does_not_know) {
    for (int code = 1; code < 100; ++code) {
        const tandem::error_code ec(code, tandem::error_category());
        const auto message = to_api_error(ec, {}).message;
        for (const auto* name : {"()", "api_key", "ca_file", "_timeout;", "within first", "URL"})
            EXPECT_THAT(message, Not(HasSubstr(name))) << tandem::error_name(ec);
    }
    EXPECT_THAT(to_api_error(errc::continue_timeout, {}).message, HasSubstr("continue_timeout_ms"));
    EXPECT_THAT(to_api_error(errc::nothing_to_resume, {}).message, HasSubstr("resume_grace_ms"));
}

}  // namespace
