// Requests that only hostile or broken clients send. The gateway answers with the right status or
// closes the connection, and meanwhile serves other clients.

#include "gateway/access/routes.hpp"
#include "gateway/gateway_fixture.hpp"

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// During an attack, another client slowly receives an answer. The answer must be complete.
class attacked_gateway : public a_gateway {
 protected:
    attacked_gateway() { server_options.tokens_per_second = 10; }
    void start() {
        a_gateway::start();
        other_.emplace(port);
        other_->headers = headers_;
        other_->send_request("POST", "/v1/chat/completions",
                             chat("Hello!", {{"stream", true}}).dump());
        ASSERT_TRUE(other_->read_until("data: "));
    }
    void expect_that_others_are_served() {
        EXPECT_EQ(text_of(other_->read_answer()), story);
        EXPECT_EQ(client().get("/health").status, 200);
    }

    std::map<std::string, std::string> headers_;

 private:
    std::optional<http_client> other_;
};

struct bad_request {
    const char* name;
    std::string sent;
    int status;
};
class bad_requests : public attacked_gateway, public ::testing::WithParamInterface<bad_request> {};

// The gateway must not treat the bytes after a bad request as another request.
TEST_P(bad_requests, are_refused_once_and_the_connection_ends) {
    start();
    http_client c(port);
    c.send(GetParam().sent + "GET /v1/models HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(c.read_answer().status, GetParam().status);
    EXPECT_EQ(c.read_to_end(), "");
    expect_that_others_are_served();
}

std::string post_with(const std::string& headers, const std::string& body = {}) {
    return "POST /v1/completions HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n" + body;
}

INSTANTIATE_TEST_SUITE_P(
    request_lines, bad_requests,
    ::testing::Values(
        bad_request{"no_version", "GET /health\r\n\r\n", 400},
        bad_request{"another_version", "GET /health HTTP/9.9\r\n\r\n", 400},
        bad_request{"no_target", "GET  HTTP/1.1\r\n\r\n", 400},
        bad_request{"control_characters", "GET /\x01 HTTP/1.1\r\n\r\n", 400},
        bad_request{"a_method_that_is_none", "G(T / HTTP/1.1\r\n\r\n", 400},
        bad_request{"a_bare_line_end", "GET /health HTTP/1.1\n\n", 400},
        bad_request{"nothing_but_zeros", std::string(64, '\0'), 400},
        bad_request{"http_2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
        bad_request{"a_field_without_a_name", "GET /health HTTP/1.1\r\n: x\r\n\r\n", 400},
        bad_request{"space_before_a_colon", post_with("Content-Length : 3\r\n"), 400},
        bad_request{"no_host", "GET /health HTTP/1.1\r\n\r\n", 400},
        bad_request{"two_hosts", "GET /health HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400}),
    [](const auto& row) { return row.param.name; });

INSTANTIATE_TEST_SUITE_P(
    lengths, bad_requests,
    ::testing::Values(
        bad_request{"two_that_differ",
                    post_with("Content-Length: 3\r\nContent-Length: 5\r\n", "{}1"), 400},
        bad_request{"two_that_are_equal",
                    post_with("Content-Length: 2\r\nContent-Length: 2\r\n", "{}"), 400},
        bad_request{"a_list", post_with("Content-Length: 2, 3\r\n", "{}"), 400},
        bad_request{"one_with_a_sign", post_with("Content-Length: +2\r\n", "{}"), 400},
        bad_request{"one_beyond_all_numbers",
                    post_with("Content-Length: 99999999999999999999999\r\n"), 400},
        bad_request{"a_length_and_chunks",
                    post_with("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
                    400},
        bad_request{"chunks_and_a_length",
                    post_with("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"),
                    400},
        bad_request{
            "chunks_twice",
            post_with("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
            400},
        bad_request{"a_coding_that_is_not_known",
                    post_with("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"), 400},
        bad_request{"a_coding_behind_chunks",
                    post_with("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"), 400},
        bad_request{"a_coding_and_a_length",
                    post_with("Transfer-Encoding: identity\r\nContent-Length: 5\r\n", "0\r\n\r\n"),
                    400},
        bad_request{"chunks_of_http_1_0",
                    "POST /v1/completions HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"
                    "0\r\n\r\n",
                    400},
        bad_request{"a_chunk_beyond_all_numbers",
                    post_with("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\n"), 400}),
    [](const auto& row) { return row.param.name; });

// --- floods

TEST_F(attacked_gateway, refuses_a_flood_of_header_fields) {
    options.max_header_bytes = 8192;
    start();
    http_client c(port);
    std::string fields;
    for (int i = 0; i < 5000; ++i) fields += "X-" + std::to_string(i) + ": y\r\n";
    c.send("GET /health HTTP/1.1\r\nHost: x\r\n" + fields);
    EXPECT_EQ(c.read_answer().status, 431);
    expect_that_others_are_served();
}

TEST_F(attacked_gateway, closes_who_sends_megabytes_of_garbage) {
    start();
    http_client c(port);
    c.send(std::string(10 << 20, '\xa5'));
    EXPECT_THAT(c.read_answer().status, AnyOf(400, 431));
    expect_that_others_are_served();
}

TEST_F(attacked_gateway, refuses_a_body_of_chunks_that_do_not_end) {
    options.max_body_bytes = 100'000;
    start();
    http_client c(port);
    c.send(post_with("Transfer-Encoding: chunked\r\n"));
    const std::string chunk = "400\r\n" + std::string(0x400, 'x') + "\r\n";
    for (int i = 0; i < 200; ++i) c.send(chunk);
    EXPECT_EQ(c.read_answer().status, 413);
    expect_that_others_are_served();
}

TEST_F(attacked_gateway, tells_a_client_that_its_body_is_too_large_while_it_sends_it) {
    start();
    http_client c(port);
    const std::string body(17 << 20, 'x');
    c.send(post_with("Content-Length: " + std::to_string(body.size()) + "\r\n"));
    c.send(body);
    EXPECT_EQ(c.read_answer().status, 413) << "it is not lost by a reset";
    expect_that_others_are_served();
}

// --- slow senders

struct slow_request {
    const char* name;
    std::string sent;
};
class slow_requests : public attacked_gateway,
                      public ::testing::WithParamInterface<slow_request> {};

TEST_P(slow_requests, are_given_up) {
    options.read_timeout = 2s;
    server_options.tokens_per_second = 5;  // makes the other client's answer outlast the timeout
    start();
    http_client c(port);
    c.send(GetParam().sent);
    EXPECT_EQ(c.read_answer().status, 408);
    EXPECT_EQ(c.read_to_end(), "");
    expect_that_others_are_served();
}

INSTANTIATE_TEST_SUITE_P(
    table, slow_requests,
    ::testing::Values(slow_request{"in_their_first_line", "GET /hea"},
                      slow_request{"in_their_header", "GET /health HTTP/1.1\r\nHost: "},
                      slow_request{"in_their_body", post_with("Content-Length: 9\r\n", "{")},
                      slow_request{"in_a_chunk",
                                   post_with("Transfer-Encoding: chunked\r\n", "5\r\n{")}),
    [](const auto& row) { return row.param.name; });

// --- authorization

class guarded_gateway : public attacked_gateway {
 protected:
    guarded_gateway() {
        options.keys =
            gateway::api_keys({{.name = "reception", .sha256 = *gateway::hash_sha256(key.key)}});
        headers_["Authorization"] = "Bearer " + key.key;
    }
    static std::string with_a_parameter(std::string path) {
        if (const auto open = path.find('{'); open != path.npos)
            path.replace(open, path.find('}') + 1 - open, "x");
        return path;
    }

    gateway::new_api_key key = gateway::make_api_key();
};

TEST_F(guarded_gateway, answers_no_route_without_a_key_but_those_that_are_open) {
    start();
    for (const auto& r : gateway::all_routes()) {
        if (r.required_right == gateway::right::open) continue;
        for (const auto method : {r.method, std::string_view("HEAD")}) {
            if (method == "HEAD" && r.method != "GET") continue;
            http_client c(port);
            c.send(std::string(method) + " " + with_a_parameter(std::string(r.path)) +
                   " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            EXPECT_THAT(c.read_to_end(), HasSubstr("HTTP/1.1 401 ")) << method << " " << r.path;
        }
    }
    EXPECT_THAT(audited(), Not(IsEmpty()));
    expect_that_others_are_served();
}

TEST_F(guarded_gateway, spells_its_paths_in_one_way) {
    start();
    auto c = client();
    c.headers = headers_;
    EXPECT_EQ(c.get("/v1/models").status, 200);
    for (const auto* path : {"//v1/models", "/v1//models", "/v1/./models", "/x/../v1/models",
                             "/v1/models/", "/V1/models", "/v1%2fmodels", "/%76%31/models",
                             "http://x//v1/models", "/v1/models;a=b", "/v1/models#a"})
        EXPECT_THAT(c.get(path).status, AnyOf(400, 404)) << path;
    expect_that_others_are_served();
}

TEST_F(guarded_gateway, does_not_wait_for_the_large_body_of_who_has_no_key) {
    start();
    http_client c(port);
    c.send(post_with("Content-Length: 1000000\r\n"));
    EXPECT_EQ(c.read_answer().status, 401);
    http_client chunks(port);
    chunks.send(post_with("Transfer-Encoding: chunked\r\n"));
    EXPECT_EQ(chunks.read_answer().status, 401);
    expect_that_others_are_served();
}

TEST_F(guarded_gateway, keeps_the_connection_of_a_small_request_without_a_key) {
    start();
    http_client c(port);
    EXPECT_EQ(c.post("/v1/chat/completions", chat()).status, 401);
    EXPECT_EQ(c.get("/health").status, 200);
    expect_that_others_are_served();
}

}  // namespace
