#include "transport/server_url.hpp"

#include "transport/curl_transport.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tandem::transport {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::Optional;

class GoodUrl : public ::testing::TestWithParam<const char*> {};

TEST_P(GoodUrl, has_no_fault) {
    EXPECT_EQ(check_server_url(GetParam()), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(Urls, GoodUrl,
                         ::testing::Values("http://127.0.0.1:8080", "https://llm.example/",
                                           "http://[::1]:8080", "http://user:pw@host/prefix",
                                           "HTTP://localhost", "http://host/v12"));

struct bad_url {
    const char* url;
    const char* words;
};

class BadUrl : public ::testing::TestWithParam<bad_url> {};

TEST_P(BadUrl, is_told_in_words) {
    EXPECT_THAT(check_server_url(GetParam().url), Optional(HasSubstr(GetParam().words)));
}

INSTANTIATE_TEST_SUITE_P(
    Urls, BadUrl,
    ::testing::Values(bad_url{"", "is empty"}, bad_url{"localhost:8080", "http://host:port"},
                      bad_url{"127.0.0.1:8080", "is not a URL"},
                      bad_url{"ftp://host", "must begin with http://"},
                      bad_url{"http://", "http://host:port"},
                      bad_url{"http://host:99999", "not a number from 1 to 65535"},
                      bad_url{"http://host:0", "port 0"}, bad_url{"http://ho st", "a space"},
                      bad_url{"http://host\r\nX: y", "a control"},
                      bad_url{"http://host/?q=1", "remove what follows"},
                      bad_url{"http://host/#top", "remove what follows"}));

TEST(ProxyFault, is_none_of_what_libcurl_can_use) {
    for (const char* const proxy :
         {"", "none", "http://host", "HTTPS://u:p@host:8080/", "socks5h://[::1]:1080"})
        EXPECT_EQ(check_proxy(proxy), std::nullopt) << proxy;
}

TEST(ProxyFault, shows_what_a_proxy_looks_like_and_no_credentials) {
    for (const char* const proxy :
         {"u:secret@host", "host:3128", "ftp://u:secret@host", "http://u:secret@host:99999",
          "http://u:secret@ho st", "http://"})
        EXPECT_THAT(check_proxy(proxy), Optional(AllOf(HasSubstr("write it as http://host:3128"),
                                                       Not(HasSubstr("secret")))))
            << proxy;
}

TEST(ApiPathFault, is_told_of_v1_in_the_path) {
    for (const char* const url :
         {"http://host/v1", "http://host:8080/llm/v1/", "http://host/v1/chat/completions"})
        EXPECT_THAT(check_api_path(url), Optional(HasSubstr("remove /v1"))) << url;
    for (const char* const url : {"http://host", "http://host/v12", "http://v1/"})
        EXPECT_EQ(check_api_path(url), std::nullopt) << url;
}

TEST(UrlFault, sees_a_nul_inside) {
    EXPECT_NE(check_server_url(std::string_view("http://host\0.evil", 17)), std::nullopt);
}

TEST(UrlFault, shows_the_url_without_credentials) {
    for (const char* const url : {"http://user:secret@host:99999", "user:secret@host:99999",
                                  "http://user:se@cret@host :1", "user:secret://x@host\r\n"})
        EXPECT_THAT(check_server_url(url), Optional(AllOf(HasSubstr("host"), Not(HasSubstr("cret")),
                                                          Not(HasSubstr("user")))))
            << url;
    EXPECT_THAT(check_server_url("http://u:p@host\x1b:1"),
                Optional(HasSubstr(R"("http://host?:1" contains)")));
}

TEST(ServerUrl, is_shown_with_its_port_and_without_credentials) {
    EXPECT_EQ(parse_server_url("https://user:secret@host/v/").url.shown, "https://host:443/v");
}

TEST(ServerUrl, has_a_name_and_an_address) {
    const auto at = parse_server_url("https://u:p@llama:8443/v/#10.0.0.5").url;
    EXPECT_EQ(at.base, "https://u:p@llama:8443/v");
    EXPECT_EQ(at.shown, "https://llama:8443/v#10.0.0.5");
    EXPECT_EQ(at.host, "llama");
    EXPECT_EQ(at.address, "10.0.0.5");
    EXPECT_EQ(parse_server_url("http://llama:8080#fd00::1").url.address, "[fd00::1]");
    EXPECT_THAT(check_server_url("http://llama#10.0.0"), Optional(HasSubstr("remove what")));
}

TEST(ServerUrl, is_the_same_with_the_same_address) {
    EXPECT_TRUE(is_same_server("http://llama:8080#10.0.0.5", "http://10.0.0.5:8080"));
    EXPECT_TRUE(is_same_server("http://llama:8080#fd00::1", "http://[fd00::1]:8080"));
    EXPECT_TRUE(is_same_server("http://localhost:8080#::1", "http://127.0.0.1:8080"));
    EXPECT_FALSE(is_same_server("http://llama:8080#10.0.0.5", "http://llama:8080#10.0.0.6"));
    EXPECT_FALSE(is_same_server("http://llama:8080#10.0.0.5", "http://llama:8080"));
}

TEST(ServerUrl, is_the_same_in_all_spellings) {
    for (const char* const other :
         {"http://HOST", "HTTP://host/", "http://host:80", "http://u:p@host"})
        EXPECT_TRUE(is_same_server("http://host", other)) << other;
    for (const char* other : {"http://localhost:8080", "http://[::1]:8080/"})
        EXPECT_TRUE(is_same_server("http://127.0.0.1:8080", other)) << other;
}

TEST(ServerUrl, is_another_one_with_another_scheme_host_port_or_path) {
    for (const char* const other :
         {"https://host", "http://host2", "http://host:8080", "http://host/llm", "host"})
        EXPECT_FALSE(is_same_server("http://host", other)) << other;
}

TEST(ServerUrl, has_no_slash_at_the_end) {
    EXPECT_EQ(parse_server_url("http://host:1/").url.base, "http://host:1");
}

TEST(WithoutCredentials, leaves_scheme_host_and_port) {
    EXPECT_EQ(without_credentials("http://u:p@proxy:3128"), "http://proxy:3128");
    EXPECT_EQ(without_credentials("u:p@proxy:3128"), "proxy:3128");
    EXPECT_EQ(without_credentials("http://u:p@x@proxy"), "http://proxy");
    EXPECT_EQ(without_credentials("proxy:3128"), "proxy:3128");
    EXPECT_EQ(without_credentials("u:p://x@proxy:3128"), "proxy:3128");
}

TEST(ApiKeyFault, is_none_for_printable_keys) {
    EXPECT_EQ(check_api_key(""), std::nullopt);
    EXPECT_EQ(check_api_key("sk-1234_+/=~"), std::nullopt);
}

TEST(ApiKeyFault, names_the_place_and_not_the_key) {
    for (const std::string_view bad :
         {std::string_view("abc\n"), std::string_view("abc\r"), std::string_view("abc\0", 4),
          std::string_view("abc\x7f"), std::string_view("abc\xc3")})
        EXPECT_THAT(check_api_key(bad),
                    Optional(AllOf(HasSubstr("character 4 of 4"), Not(HasSubstr("abc")))));
}

}  // namespace
}  // namespace tandem::transport
