#include "transport/curl_errors.hpp"

#include "transport/tls_failure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::transport {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(curl_errors, quote_libcurls_words_as_valid_text_in_one_line) {
    const auto why = make_curl_failure(
        CURLE_PEER_FAILED_VERIFICATION,
        {.url = "https://a", .https = true, .detail = "no match for 'b\xFF\r\nc'"});
    EXPECT_THAT(why.diag.client_message, HasSubstr("(no match for 'b\xEF\xBF\xBD  c')"));
}

TEST(curl_errors, show_no_credentials_of_a_proxy) {
    for (const char* detail : {"Unsupported proxy syntax in 'http://u:secret@:x'",
                               "Unsupported proxy scheme for 'foo://u:secret@127.0.0.1:1'"})
        for (const auto code : {CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT}) {
            const auto why = make_curl_failure(
                code, {.url = "http://a", .proxy = "foo://127.0.0.1:1", .detail = detail});
            EXPECT_THAT(why.diag.client_message, Not(HasSubstr("secret")));
        }
}

TEST(curl_errors, report_that_a_port_which_is_silent_in_the_handshake_may_speak_http) {
    const failure_context context{
        .url = "https://a", .https = true, .detail = "SSL connection timeout"};
    const auto why = make_curl_failure(CURLE_OPERATION_TIMEDOUT, context);
    EXPECT_EQ(why.ec, errc::connect_timeout);
    EXPECT_THAT(why.diag.client_message, HasSubstr("if it speaks http"));
}

TEST(curl_errors, report_no_scheme_if_nothing_was_connected) {
    const failure_context context{
        .url = "https://a", .https = true, .detail = "Connection timed out after 5000 ms"};
    const auto why = make_curl_failure(CURLE_OPERATION_TIMEDOUT, context);
    EXPECT_THAT(why.diag.client_message, HasSubstr("check host, port and firewall"));
}

TEST(curl_errors, take_a_reset_before_the_handshake_for_one_in_it) {
    const failure_context context{
        .url = "https://a", .https = true, .detail = "getpeername() failed with errno 107"};
    EXPECT_EQ(make_curl_failure(CURLE_SSL_CONNECT_ERROR, context).ec, errc::connect_failed);
}

TEST(curl_errors, know_a_certificate_from_a_handshake_that_came_to_none) {
    const failure_context context{.url = "https://a", .https = true};
    EXPECT_TRUE(
        is_untrusted_certificate(make_curl_failure(CURLE_PEER_FAILED_VERIFICATION, context)));
    EXPECT_FALSE(is_untrusted_certificate(make_curl_failure(CURLE_SSL_CONNECT_ERROR, context)));
}

}  // namespace
}  // namespace tandem::transport
