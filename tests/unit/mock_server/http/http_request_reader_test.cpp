#include "http/http_request_reader.hpp"

#include <gtest/gtest.h>

namespace tandem::mock {
namespace {

const std::string post =
    "POST /slots/1?action=erase HTTP/1.1\r\nHost: x\r\nX-Thing: Some Value\r\n"
    "Content-Length: 4\r\n\r\nbody";

TEST(http_request_reader, reads_a_request_byte_by_byte) {
    http_request_reader reader;
    for (char c : post) {
        EXPECT_FALSE(reader.next());
        reader.feed({&c, 1});
    }
    const auto r = reader.next();
    ASSERT_TRUE(r);
    EXPECT_EQ(r->method, "POST");
    EXPECT_EQ(r->path, "/slots/1");
    EXPECT_EQ(r->query, "action=erase");
    EXPECT_EQ(r->headers.at(1), (std::pair<std::string, std::string>("x-thing", "Some Value")));
    EXPECT_EQ(r->body, "body");
    EXPECT_TRUE(r->keep_alive);
}

TEST(http_request_reader, keeps_a_second_request_for_later) {
    http_request_reader reader;
    reader.feed(post + "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n");
    EXPECT_EQ(reader.next()->path, "/slots/1");
    const auto second = reader.next();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->path, "/health");
    EXPECT_FALSE(second->keep_alive);
    EXPECT_FALSE(reader.next());
}

TEST(http_request_reader, refuses_what_is_no_http) {
    http_request_reader reader;
    reader.feed("\x16\x03\x01 not http\r\n\r\n");
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.is_broken());
}

TEST(http_request_reader, refuses_a_body_without_bound) {
    http_request_reader reader;
    reader.feed("POST / HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n");
    EXPECT_TRUE(reader.is_broken());
}

TEST(http_request_reader, reports_once_that_the_client_waits_to_send_its_body) {
    http_request_reader reader;
    reader.feed("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
    EXPECT_TRUE(reader.wants_continue());
    EXPECT_FALSE(reader.wants_continue());
    reader.feed("body");
    EXPECT_EQ(reader.next()->body, "body");
}

}  // namespace
}  // namespace tandem::mock
