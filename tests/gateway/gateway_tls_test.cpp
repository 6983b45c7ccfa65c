// The gateway's port with TLS: HTTP, WebSocket, and clients that do not use TLS.

#include "gateway/gateway_fixture.hpp"
#include "gateway/websocket_frames.hpp"
#include "support/certificate.hpp"

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class tls_gateway : public a_gateway {
 protected:
    tls_gateway() { options.tls = credentials_of(mine); }
    static gateway::tls_credentials credentials_of(const certificate& c) { return {c.cert, c.key}; }

    http_client trusting(const certificate& c) { return http_client(port, c.cert); }
    http_client client() { return trusting(mine); }
    http_client plain() { return http_client(port); }
    std::vector<config_fault> replace(const gateway::tls_credentials& credentials) {
        std::vector<config_fault> faults;
        on_loop([&] { faults = gate->replace_tls(credentials); });
        return faults;
    }
    static std::string start_of(const std::string& text) {
        return frame(json{{"type", "start"}, {"text", text}}.dump());
    }

    const certificate mine{"IP:127.0.0.1"};
    const certificate other{"IP:127.0.0.1"};
};

TEST_F(tls_gateway, answers_one_request_after_the_other) {
    start();
    auto c = client();
    EXPECT_EQ(c.get("/health").status, 200);
    const auto whole = c.post("/v1/chat/completions", chat());
    EXPECT_EQ(whole.parsed()["choices"][0]["message"]["content"], story) << whole.body;
    EXPECT_EQ(text_of(c.post("/v1/chat/completions", chat("Hello!", {{"stream", true}}))), story);
}

TEST_F(tls_gateway, reports_that_an_answer_was_the_last_one) {
    start();
    auto c = client();
    c.headers["Connection"] = "close";
    EXPECT_EQ(c.get("/health").status, 200);
    EXPECT_EQ(c.read_to_end(), "");
}

TEST_F(tls_gateway, shows_its_own_certificate) {
    start();
    EXPECT_EQ(trusting(other).get("/health").status, 0);
    EXPECT_EQ(client().get("/health").status, 200);
}

TEST_F(tls_gateway, checks_keys_as_without_tls) {
    const auto key = gateway::make_api_key();
    options.keys =
        gateway::api_keys({{.name = "reception", .sha256 = *gateway::hash_sha256(key.key)}});
    start();
    auto c = client();
    EXPECT_EQ(c.get("/v1/models").status, 401);
    c.headers["Authorization"] = "Bearer " + key.key;
    EXPECT_EQ(c.get("/v1/models").status, 200);
}

TEST_F(tls_gateway, ends_a_reply_whose_client_goes) {
    server_options.tokens_per_second = 1;
    start();
    auto c = client();
    c.send_request("POST", "/v1/chat/completions", chat("Hello!", {{"stream", true}}).dump());
    ASSERT_TRUE(c.read_until("data: "));
    c.close();
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(tls_gateway, takes_a_body_in_many_parts) {
    start();
    auto c = client();
    auto body = chat();
    body["padding"] = std::string(300'000, 'u');
    EXPECT_EQ(c.post("/v1/chat/completions", body).status, 200);
}

TEST_F(tls_gateway, tells_a_client_that_sends_too_slowly) {
    options.read_timeout = 2s;
    start();
    auto c = client();
    c.send("POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n{");
    EXPECT_EQ(c.read_answer().status, 408);
    EXPECT_EQ(c.read_to_end(), "");
}

TEST_F(tls_gateway, talks_over_a_websocket) {
    start();
    auto c = client();
    c.send(upgrade_request());
    ASSERT_TRUE(c.read_until("101 Switching Protocols"));
    c.send(start_of("Hello!"));
    EXPECT_TRUE(c.read_until("\"text\":\"Hello.\""));
    c.send(frame("\x03\xe8", {.what = opcode::close}));
    EXPECT_THAT(c.read_to_end(), HasSubstr("\x88\x02\x03\xe8"));
}

// --- clients without TLS

TEST_F(tls_gateway, tells_who_talks_plain_http) {
    start();
    auto c = plain();
    const auto a = c.get("/health");
    EXPECT_EQ(a.status, 400);
    EXPECT_EQ(a.parsed()["error"]["code"], "tls_required");
    EXPECT_EQ(c.read_to_end(), "");
    EXPECT_EQ(client().get("/health").status, 200);
}

TEST_F(tls_gateway, closes_who_talks_something_else) {
    options.handshake_timeout = 1h;
    start();
    auto c = plain();
    c.send("SSH-2.0-OpenSSH_9.2\r\n");
    c.read_to_any_end();
    EXPECT_EQ(client().get("/health").status, 200);
}

TEST_F(tls_gateway, closes_a_handshake_that_does_not_get_on) {
    options.handshake_timeout = 2s;
    start();
    auto silent = plain();
    auto half = plain();
    half.send(std::string("\x16\x03\x01\x02\x00\x01", 6));  // the start of a ClientHello
    EXPECT_EQ(silent.read_to_end(), "");
    EXPECT_EQ(half.read_to_end(), "");
}

TEST_F(tls_gateway, serves_others_while_a_handshake_waits) {
    start();
    auto silent = plain();
    EXPECT_EQ(client().get("/health").status, 200);
}

TEST_F(tls_gateway, does_not_wait_for_handshakes_when_it_is_stopped) {
    options.handshake_timeout = 1h;
    start();
    auto silent = plain();
    auto idle = client();
    EXPECT_EQ(idle.get("/health").status, 200);
    const auto stopped = stop();
    EXPECT_EQ(silent.read_to_end(), "");
    EXPECT_EQ(stopped.wait_for(120s), std::future_status::ready);
}

// --- new certificates

TEST_F(tls_gateway, shows_another_certificate_from_now_on) {
    start();
    auto before = client();
    EXPECT_EQ(before.get("/health").status, 200);
    EXPECT_THAT(replace(credentials_of(other)), IsEmpty());
    EXPECT_EQ(trusting(other).get("/health").status, 200);
    EXPECT_EQ(client().get("/health").status, 0);
    EXPECT_EQ(before.get("/health").status, 200) << "it was admitted with the old certificate";
}

TEST_F(tls_gateway, keeps_its_certificate_if_the_other_cannot_be_used) {
    start();
    EXPECT_THAT(replace({other.cert, mine.key}), SizeIs(1));
    EXPECT_EQ(client().get("/health").status, 200);
}

TEST_F(tls_gateway, does_not_begin_with_credentials_that_cannot_be_used) {
    options.tls->key = "no key";
    EXPECT_THROW(start(), config_error);
}

TEST_F(a_gateway, without_tls_gets_none_later) {
    start();
    const certificate c{"IP:127.0.0.1"};
    on_loop([&] { gate->replace_tls({c.cert, c.key}); });
    EXPECT_EQ(client().get("/health").status, 200);
}

}  // namespace
