// The gateway buffers no more bytes after a request's head than it needs, and uses none of these
// bytes before checking them.

#include "gateway/gateway_fixture.hpp"
#include "support/poll_until.hpp"

#include <fmt/format.h>

namespace tandem::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string in_chunks(const std::string& start_line, const std::string& body) {
    return start_line + " HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n" + body;
}

/// Sends `again` until the gateway accepts no more bytes, or up to a limit, and reads the answer.
http_answer answer_to_more(http_client& c, const std::string& again) {
    constexpr std::size_t most = 4u << 20;  // far above every limit on heads
    try {
        for (std::size_t sent = 0; sent < most; sent += again.size()) c.send(again);
    } catch (const std::exception&) {
        // The gateway accepts no more bytes.
    }
    return c.read_answer();
}

TEST_F(a_gateway, bounds_the_header_of_a_chunk) {
    start();
    http_client c(port);
    c.send(in_chunks("POST /v1/completions", "1;"));
    EXPECT_EQ(answer_to_more(c, std::string(4096, 'a')).status, 431);
}

TEST_F(a_gateway, bounds_the_trailer_of_a_body) {
    start();
    http_client c(port);
    c.send(in_chunks("POST /v1/completions", "0\r\n"));
    EXPECT_EQ(answer_to_more(c, "a: " + std::string(1000, 'b') + "\r\n").status, 431);
}

TEST_F(a_gateway, takes_no_body_if_it_has_no_use_for_one) {
    start();
    for (const auto* path : {"/", "/health", "/ready", "/assets/main.js", "/v1/models"}) {
        http_client c(port);
        c.send("GET " + std::string(path) +
               " HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n");
        EXPECT_EQ(c.read_answer().status, 413) << path;
        http_client chunks(port);
        chunks.send(in_chunks("GET " + std::string(path), "5\r\n"));
        EXPECT_EQ(chunks.read_answer().status, 413) << path;
    }
}

TEST_F(a_gateway, takes_no_fields_from_after_a_body) {
    start();
    http_client c(port);
    const auto body = chat().dump();
    c.send(
        in_chunks("POST /v1/chat/completions",
                  fmt::format("{:x}\r\n{}\r\n0\r\nX-Request-Id: late\r\n\r\n", body.size(), body)));
    const auto answer = c.read_answer();
    EXPECT_EQ(answer.status, 200);
    EXPECT_THAT(answer.headers.at("x-request-id"), HasSubstr("req-"));
}

// --- clients that expect "100 Continue"

std::string asking_post(std::size_t bytes, const std::string& key) {
    return fmt::format(
        "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
        "Authorization: Bearer {}\r\nContent-Length: {}\r\n\r\n",
        key, bytes);
}

class a_gateway_with_a_key : public a_gateway {
 protected:
    a_gateway_with_a_key() {
        gateway::api_key reception{.name = "reception", .sha256 = *gateway::hash_sha256(key.key)};
        reception.rights = {};
        reception.rights.insert(gateway::right::generate);
        options.keys = gateway::api_keys({std::move(reception)});
    }
    json audited_line() {
        EXPECT_TRUE(poll_until([&] { return !audited().empty(); }))
            << "the audit line follows the answer";
        return json::parse(audited().at(0));
    }

    gateway::new_api_key key = gateway::make_api_key();
};

TEST_F(a_gateway_with_a_key, tells_who_waits_for_it_to_send_the_body) {
    start();
    http_client c(port);
    const auto body = chat().dump();
    c.send(asking_post(body.size(), key.key));
    ASSERT_EQ(c.read_answer().status, 100);
    c.send(body);
    EXPECT_EQ(c.read_answer().status, 200);
}

TEST_F(a_gateway_with_a_key, refuses_who_has_none_before_the_body_is_sent) {
    start();
    http_client c(port);
    c.send(asking_post(100, "wrong"));
    EXPECT_EQ(c.read_answer().status, 401);
}

TEST_F(a_gateway_with_a_key, checks_the_key_before_the_size) {
    start();
    http_client c(port);
    c.send(asking_post(1u << 30, "wrong"));
    EXPECT_EQ(c.read_answer().status, 401);
    http_client known(port);
    known.send(asking_post(1u << 30, key.key));
    EXPECT_EQ(known.read_answer().status, 413);
}

// --- audit of refused requests

TEST_F(a_gateway_with_a_key, tells_the_audit_whose_body_is_too_large) {
    start();
    http_client c(port);
    c.headers["X-Request-Id"] = "large";
    c.send(
        "POST /v1/completions HTTP/1.1\r\nHost: x\r\nX-Request-Id: large\r\nAuthorization: "
        "Bearer " +
        key.key + "\r\nContent-Length: 1000000000\r\n\r\n");
    EXPECT_EQ(c.read_answer().status, 413);
    const auto line = audited_line();
    EXPECT_EQ(line["request_id"], "large");
    EXPECT_EQ(line["route"], "/v1/completions");
    EXPECT_EQ(line["method"], "POST");
}

TEST_F(a_gateway_with_a_key, tells_the_audit_whose_body_was_refused) {
    options.read_timeout = 1s;
    start();
    const struct {
        const char *line, *rest;
        int status;
    } rows[] = {
        {"POST /v1/completions", "Content-Length: 1000000000\r\n\r\n", 413},
        {"GET /v1/responses", "Content-Length: 1000000\r\n\r\n", 413},
        {"POST /v1/completions", "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}", 415},
        {"POST /v1/completions", "Transfer-Encoding: chunked\r\n\r\nxyz\r\n", 400},
        {"POST /v1/completions", "Content-Length: 9\r\n\r\n{", 408}};
    for (const auto& row : rows) {
        http_client c(port);
        c.send(std::string(row.line) + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + key.key +
               "\r\n" + row.rest);
        EXPECT_EQ(c.read_answer().status, row.status);
    }
    ASSERT_TRUE(poll_until([&] { return audited().size() == std::size(rows); }));
    for (const auto& line : audited()) EXPECT_EQ(json::parse(line)["key"], "reception") << line;
}

TEST_F(a_gateway_with_a_key, tells_the_audit_which_key_was_refused) {
    start();
    auto c = client();
    c.headers["Authorization"] = "Bearer " + key.key;
    EXPECT_EQ(c.get("/v1/models").status, 403);
    const auto line = audited_line();
    EXPECT_EQ(line["key"], "reception");
    EXPECT_EQ(line["error"], "insufficient_permissions");
}

// --- passwords

TEST_F(a_gateway, tells_nobody_the_password_of_a_server) {
    other_servers = {"http://bob:opensesame@127.0.0.1:1"};
    options.service.client.failover.retries = 0;
    std::string logged;
    std::mutex mutex;
    options.instruments.log.write = [&](log_level, std::string_view line) {
        const std::lock_guard lock(mutex);
        logged += line;
    };
    start();
    ASSERT_TRUE(is_ready());
    mock_server->stop();
    auto c = client();
    std::string told;
    for (int i = 0; i < 3; ++i) told += c.post("/v1/chat/completions", chat()).body;
    EXPECT_THAT(told, HasSubstr("no server is available"));
    EXPECT_THAT(told, Not(HasSubstr("127.0.0.1"))) << "the server's address is not shown";
    end();
    EXPECT_THAT(logged, HasSubstr("http://127.0.0.1:1 is down"));
    EXPECT_THAT(logged, Not(HasSubstr("opensesame")));
}

}  // namespace
}  // namespace tandem::testing
