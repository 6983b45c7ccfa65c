#include "wire/stream/server_error.hpp"

#include "wire/stream/sanitize_server_text.hpp"
#include "wire/stream/token_event_decoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace tandem::wire {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view too_long =
    R"({"error":{"code":400,"message":"the request exceeds","type":"exceed_context_size_error",)"
    R"("n_prompt_tokens":5000,"n_ctx":4096}})";

struct error_case {
    int http_status;
    std::string_view body;
    errc code;
};

TEST(ServerError, HasACodeForEachKindOfAnswer) {
    const error_case cases[] = {
        {400, too_long, errc::prompt_too_long},
        {400, R"({"error":{"message":"the request exceeds the available context size"}})",
         errc::prompt_too_long},
        {400, R"({"error":{"code":400,"message":"x","type":"invalid_request_error"}})",
         errc::bad_request},
        {401, R"({"error":{"code":401,"message":"Invalid API Key","type":"authentication_error"}})",
         errc::unauthorized},
        {403, "", errc::unauthorized},
        {404, R"({"error":{"code":404,"message":"File Not Found","type":"not_found_error"}})",
         errc::not_supported},
        {501, R"({"error":{"code":501,"message":"x","type":"not_supported_error"}})",
         errc::not_supported},
        {503, R"({"error":{"code":503,"message":"Loading model","type":"unavailable_error"}})",
         errc::model_loading},
        {503, R"({"error":{"message":"Loading model"}})", errc::model_loading},
        {503, "<html>over capacity</html>", errc::server_error},
        {504, "", errc::server_error},
        {503, R"({"error":{"message":"x","type":"server_error"}})", errc::server_error},
        {429, "", errc::bad_request},
        {413, "", errc::bad_request},
        {500,
         R"({"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}})",
         errc::server_error},
        {502, "Bad Gateway", errc::server_error},
        {301, "", errc::bad_response},
        {0, "", errc::bad_response},
    };
    for (const auto& c : cases) {
        diagnostics diag;
        EXPECT_EQ(decode_error("/completion", c.http_status, c.body, diag), c.code)
            << c.http_status << ' ' << c.body;
        EXPECT_EQ(diag.http_status, c.http_status);
    }
}

TEST(ServerError, KeepsOurWordsApartFromTheServers) {
    diagnostics diag;
    decode_error("/props", 401, R"({"error":{"message":"Invalid API Key"}})", diag);
    EXPECT_EQ(diag.client_message,
              "/props: the server rejected the API key, or requires one; set api_key to the one it "
              "was started with "
              "(HTTP 401)");
    EXPECT_EQ(diag.server_message, "Invalid API Key");
}

TEST(ServerError, TellsHowLongThePromptIs) {
    diagnostics diag;
    decode_error("/completion", 400, too_long, diag);
    EXPECT_THAT(diag.client_message, HasSubstr("5000 tokens"));
    EXPECT_THAT(diag.client_message, HasSubstr("4096"));
}

TEST(ServerError, PassesOnTheWordsOfABodyThatIsNotJson) {
    diagnostics diag;
    decode_error("/completion", 502, "Bad\r\nGateway\xFF", diag);
    EXPECT_EQ(diag.server_message, "Bad  Gateway\xEF\xBF\xBD");
    decode_error("/completion", 500, std::string(100'000, 'x'), diag);
    EXPECT_EQ(diag.server_message.size(), max_server_text_bytes);
}

TEST(ServerError, HasNoPageOfHtmlForAMessage) {
    diagnostics diag;
    EXPECT_EQ(decode_error("/props", 404, "\r\n<!DOCTYPE HTML>\n<html>Not found</html>", diag),
              errc::not_supported);
    EXPECT_EQ(diag.server_message, "");
    decode_error("/props", 400, R"({"error":{"message":"<s> is no token"}})", diag);
    EXPECT_EQ(diag.server_message, "<s> is no token");
}

struct stream_case {
    std::string_view data;
    errc code;
};

TEST(ServerError, HasACodeForEachErrorInAStream) {
    const stream_case cases[] = {
        {R"({"error":{"code":500,"message":"Unexpected empty grammar stack","type":"server_error"}})",
         errc::server_error},
        {too_long, errc::prompt_too_long},
        {R"({"error":{"code":400,"message":"x","type":"invalid_request_error"}})",
         errc::bad_request},
        {R"({"error":"oh"})", errc::server_error},
        {R"({"error":{"code":7,"message":"x"}})", errc::server_error},
    };
    for (const auto& c : cases) {
        token_event event;
        ASSERT_FALSE(decode_token_event(c.data, event));
        diagnostics diag;
        EXPECT_EQ(decode_stream_error(event, diag), c.code) << c.data;
        EXPECT_EQ(diag.server_message, event.error_message);
        EXPECT_EQ(diag.http_status, 200);
    }
}

TEST(ServerError, SaysWhyAnAnswerIsNotUnderstood) {
    diagnostics diag{"old", "old", 500};
    EXPECT_EQ(make_bad_response_error("/props", 200, "it is not JSON", diag), errc::bad_response);
    EXPECT_EQ(diag.client_message, "/props: the answer is not from a llama-server: it is not JSON");
    EXPECT_EQ(diag.server_message, "");
    EXPECT_EQ(diag.http_status, 200);
}

TEST(ServerError, NamesTheProxyThatCannotReachTheServer) {
    for (const int status : {502, 503, 504}) {
        diagnostics diag;
        decode_error("/completion", status, "<html>x</html>", diag);
        EXPECT_THAT(diag.client_message, HasSubstr("a proxy cannot reach the server"));
    }
    diagnostics diag;
    decode_error("/completion", 503, "service unavailable", diag);
    EXPECT_THAT(diag.client_message, HasSubstr("loading its model"));
}

}  // namespace
}  // namespace tandem::wire
