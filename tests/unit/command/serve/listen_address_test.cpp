#include "serve/listen_address.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using namespace tandem::command;

TEST(listen_address, is_an_address_and_a_port) {
    EXPECT_EQ(parse_listen_address("127.0.0.1:8090"), (listen_address{"127.0.0.1", 8090}));
    EXPECT_EQ(parse_listen_address("0.0.0.0:0"), (listen_address{"0.0.0.0", 0}));
    EXPECT_EQ(parse_listen_address("localhost:65535"), (listen_address{"localhost", 65535}));
    EXPECT_EQ(parse_listen_address("[::1]:80"), (listen_address{"::1", 80}));
}

TEST(listen_address, is_nothing_else) {
    for (const std::string text :
         {"", ":", "8090", ":8090", "127.0.0.1", "127.0.0.1:", "127.0.0.1:-1", "127.0.0.1:65536",
          "127.0.0.1:80x", "127.0.0.1: 80", "::1:80", "[::1]", "[::1:80", "[127.0.0.1]:80",
          "[localhost]:80", "[]:80", "example.com:80", "1.2.3:80", "127.0.0.1 :80"})
        EXPECT_FALSE(parse_listen_address(text)) << text;
}

TEST(listen_address, is_shown_as_a_url) {
    EXPECT_EQ(http_url({"127.0.0.1", 8090}), "http://127.0.0.1:8090");
    EXPECT_EQ(http_url({"::1", 80}), "http://[::1]:80");
    EXPECT_EQ(http_url({"127.0.0.1", 8090}, true), "https://127.0.0.1:8090");
}

}  // namespace
