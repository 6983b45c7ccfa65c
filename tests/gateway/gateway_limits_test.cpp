// Hostile clients, slow clients, and shutdown.

#include "gateway/gateway_fixture.hpp"

#include <memory>

namespace {

using namespace tandem;
using namespace tandem::testing;

struct bad_bytes {
    const char* name;
    std::string sent;
    int status;
};
class hostile_bytes : public a_gateway, public ::testing::WithParamInterface<bad_bytes> {};

TEST_P(hostile_bytes, get_their_status_and_the_connection_ends) {
    options.max_header_bytes = 2048;
    options.max_body_bytes = 4096;
    start();
    http_client c(port);
    c.send(GetParam().sent);
    EXPECT_EQ(c.read_answer().status, GetParam().status);
    EXPECT_EQ(c.read_to_end(), "");
    EXPECT_EQ(client().get("/health").status, 200) << "others are unharmed";
}

INSTANTIATE_TEST_SUITE_P(
    table, hostile_bytes,
    ::testing::Values(
        bad_bytes{"no_http", "SSH-2.0-OpenSSH_9.2\r\n\r\n", 400},
        bad_bytes{"a_long_header",
                  "GET /health HTTP/1.1\r\nX: " + std::string(4000, 'x') + "\r\n\r\n", 431},
        bad_bytes{"a_long_body",
                  "POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
                  413},
        bad_bytes{"a_length_that_is_none",
                  "POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", 400},
        bad_bytes{"a_chunk_that_is_none",
                  "POST /v1/completions HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
                  "chunked\r\n\r\nzzz\r\n",
                  400}),
    [](const auto& row) { return row.param.name; });

TEST_F(a_gateway, tells_a_client_that_sends_too_slowly) {
    options.read_timeout = 2s;
    start();
    http_client c(port);
    c.send("POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{");
    EXPECT_EQ(c.read_answer().status, 408);
    EXPECT_EQ(c.read_to_end(), "");
}

TEST_F(a_gateway, closes_a_connection_that_asks_nothing) {
    options.read_timeout = options.idle_timeout = 2s;
    start();
    http_client silent(port);
    http_client idle(port);
    EXPECT_EQ(idle.get("/health").status, 200);
    EXPECT_EQ(silent.read_to_end(), "");
    EXPECT_EQ(idle.read_to_end(), "");
}

TEST_F(a_gateway, takes_no_more_connections_than_it_may) {
    options.max_connections = 2;
    start();
    auto one = std::make_unique<http_client>(port);
    http_client two(port);
    EXPECT_EQ(one->get("/health").status, 200);
    EXPECT_EQ(two.get("/health").status, 200);
    http_client three(port);
    EXPECT_EQ(three.get("/health").status, 0);
    EXPECT_EQ(two.get("/health").status, 200);
}

// --- shutdown

class stopped_gateway : public a_gateway {};

TEST_F(stopped_gateway, finishes_the_replies_that_run) {
    server_options.tokens_per_second = 50;
    start();
    http_client idle(port);
    EXPECT_EQ(idle.get("/health").status, 200);
    http_client busy(port);
    busy.send_request("POST", "/v1/chat/completions", chat("Hello!", {{"stream", true}}).dump());
    ASSERT_TRUE(busy.read_until("data: "));
    const auto stopped = stop(1min);
    EXPECT_EQ(idle.read_to_end(), "");
    EXPECT_EQ(text_of(busy.read_answer()), story);
    EXPECT_EQ(stopped.wait_for(120s), std::future_status::ready);
    http_client late(port);
    EXPECT_EQ(late.get("/health").status, 0);
}

TEST_F(stopped_gateway, tells_probes_that_it_lives_and_takes_no_replies_until_the_last_has_ended) {
    server_options.tokens_per_second = 20;
    start();
    EXPECT_TRUE(is_ready());
    http_client busy(port);
    busy.send_request("POST", "/v1/chat/completions", chat("Hello!", {{"stream", true}}).dump());
    ASSERT_TRUE(busy.read_until("data: "));
    const auto stopped = stop(1min);
    http_client silent(port);
    EXPECT_EQ(client().get("/livez").status, 200);
    EXPECT_EQ(client().get("/readyz").status, 503);
    const auto refused = client().post("/v1/chat/completions", chat());
    EXPECT_EQ(refused.parsed()["error"]["code"], "gateway_stopping");
    EXPECT_EQ(refused.headers.at("connection"), "close");
    EXPECT_EQ(text_of(busy.read_answer()), story);
    EXPECT_EQ(stopped.wait_for(10s), std::future_status::ready) << "nobody waits for the silent";
}

TEST_F(stopped_gateway, reads_a_request_to_its_end_and_refuses_it) {
    server_options.tokens_per_second = 20;
    start();
    http_client busy(port);
    busy.send_request("POST", "/v1/chat/completions", chat("Hello!", {{"stream", true}}).dump());
    ASSERT_TRUE(busy.read_until("data: "));
    http_client slow(port);
    slow.send("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\n");
    EXPECT_TRUE(is_ready()) << "the first line has been read";
    const auto stopped = stop(1min);
    const auto body = chat().dump();
    slow.send("Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\n\r\n" + body);
    EXPECT_EQ(slow.read_answer().parsed()["error"]["code"], "gateway_stopping");
    EXPECT_EQ(text_of(busy.read_answer()), story);
    EXPECT_EQ(stopped.wait_for(120s), std::future_status::ready);
}

TEST_F(stopped_gateway, ends_whole_answers_that_take_too_long) {
    server_options.tokens_per_second = 0.1;
    start();
    http_client busy(port);
    busy.send_request("POST", "/v1/chat/completions", chat().dump());
    ASSERT_TRUE(mock_server->wait_until([](const mock::observations& o) {
        return std::ranges::any_of(o.slots, [](const auto& s) { return s.is_processing; });
    }));
    EXPECT_EQ(stop(1ms).wait_for(120s), std::future_status::ready);
}

TEST_F(stopped_gateway, ends_replies_that_take_too_long) {
    server_options.tokens_per_second = 1;
    start();
    http_client busy(port);
    busy.send_request("POST", "/v1/chat/completions", chat("Hello!", {{"stream", true}}).dump());
    ASSERT_TRUE(busy.read_until("data: "));
    EXPECT_EQ(stop(1ms).wait_for(120s), std::future_status::ready);
    EXPECT_TRUE(server_gets_idle());
}

}  // namespace
