// The routes of the gateway, and the clients that may use them.

#include "gateway/access/routes.hpp"
#include "gateway/gateway_fixture.hpp"

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST_F(a_gateway, is_healthy_whatever_its_servers_do) {
    start();
    mock_server->stop();
    for (const auto* path : {"/livez", "/health"}) {
        const auto a = client().get(path);
        EXPECT_EQ(a.status, 200);
        EXPECT_EQ(a.parsed()["status"], "ok");
    }
}

TEST_F(a_gateway, reports_the_date) {
    start();
    EXPECT_THAT(client().get("/health").headers["date"],
                ::testing::MatchesRegex("[A-Z][a-z]+, [0-9]+ [A-Z][a-z]+ 20[0-9]+ [0-9:]+ GMT"));
}

TEST_F(a_gateway, refuses_a_compressed_body_by_name) {
    start();
    auto c = client();
    c.headers["Content-Encoding"] = "gzip";
    const auto a = c.post("/v1/chat/completions", std::string_view("\x1f\x8b\x08"));
    EXPECT_EQ(a.status, 415);
    EXPECT_EQ(a.parsed()["error"]["code"], "unsupported_content_encoding");
    EXPECT_THAT(std::string(a.parsed()["error"]["message"]), HasSubstr("gzip"));
}

TEST_F(a_gateway, is_ready_while_a_server_may_serve) {
    options.service.health_interval = 100ms;
    start();
    EXPECT_TRUE(is_ready());
    mock_server->stop();
    ASSERT_TRUE(poll_until([&] { return client().get("/readyz").status == 503; }))
        << "no request is needed to detect it";
    EXPECT_EQ(client().get("/ready").parsed()["servers"][0]["state"], "down");
    server_options.port = mock_server->port();
    mock_server.reset();
    mock_server.emplace(server_options);
    EXPECT_TRUE(is_ready());
}

TEST_F(a_gateway, is_not_ready_in_front_of_a_server_that_is_loading) {
    options.service.health_interval = 100ms;
    server_options.load_time = 1h;
    start();
    ASSERT_TRUE(poll_until([&] {
        return client().get("/ready").parsed()["servers"][0]["state"] == "loading its model";
    }));
    EXPECT_EQ(client().get("/ready").status, 503);
}

TEST_F(a_gateway, is_not_ready_while_its_only_server_is_left_alone) {
    auto& server = options.service.client;
    server.failover.retries = 0;
    server.failover.breaker_failures = 1;
    server.failover.breaker_pause = 1h;
    server_options.faults = {{.kind = mock::fault_kind::http_error}};
    start();
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 502);
    EXPECT_EQ(client().get("/ready").status, 503);
}

TEST_F(a_gateway, reports_its_model_without_asking_a_server) {
    start();
    EXPECT_EQ(client().get("/v1/models").parsed()["data"][0]["id"], "talk");
    EXPECT_EQ(client().get("/v1/models/talk").parsed()["id"], "talk");
    EXPECT_EQ(client().get("/v1/models/other").status, 404);
    const auto asked = mock_server->observe();
    const auto checks = asked.of_path("/props").size() + asked.of_path("/health").size();
    EXPECT_EQ(asked.requests.size(), checks);
}

TEST_F(a_gateway, reports_what_is_not_there_and_what_is_allowed) {
    start();
    EXPECT_EQ(client().get("/nothing").status, 404);
    const auto a = client().get("/v1/chat/completions");
    EXPECT_EQ(a.status, 405);
    EXPECT_EQ(a.headers.at("allow"), "POST");
}

TEST_F(a_gateway, answers_head_without_a_body) {
    start();
    http_client c(port);
    c.headers["Connection"] = "close";
    c.send_request("HEAD", "/health", {});
    const auto text = c.read_to_end();
    EXPECT_THAT(text, HasSubstr("Content-Length: 15\r\n"));
    EXPECT_TRUE(text.ends_with("\r\n\r\n")) << text;
}

TEST_F(a_gateway, keeps_a_connection_for_more_requests) {
    start();
    auto c = http_client(port);
    EXPECT_EQ(c.get("/health").status, 200);
    EXPECT_EQ(text_of(c.post("/v1/chat/completions", chat("Hello!", {{"stream", true}}))), story);
    EXPECT_EQ(c.get("/v1/models").status, 200);
}

TEST_F(a_gateway, answers_requests_that_are_sent_ahead_in_their_order) {
    start();
    http_client c(port);
    c.send_request("POST", "/v1/chat/completions", chat().dump());
    c.send_request("GET", "/health", {});
    EXPECT_EQ(c.read_answer().parsed()["object"], "chat.completion");
    EXPECT_EQ(c.read_answer().parsed()["status"], "ok");
}

TEST_F(a_gateway, gives_a_request_the_id_that_it_brings_or_one_of_its_own) {
    start();
    auto c = http_client(port);
    EXPECT_THAT(c.get("/health").headers.at("x-request-id"), HasSubstr("req-"));
    c.headers["X-Request-Id"] = "trace-7";
    EXPECT_EQ(c.get("/health").headers.at("x-request-id"), "trace-7");
    c.headers["X-Request-Id"] = "two words";
    EXPECT_THAT(c.get("/health").headers.at("x-request-id"), HasSubstr("req-"));
}

// --- the page

TEST_F(a_gateway, serves_the_page_under_a_strict_policy) {
    start();
    const auto a = client().get("/");
    EXPECT_EQ(a.status, 200);
    EXPECT_EQ(a.headers.at("content-type"), "text/html; charset=utf-8");
    EXPECT_THAT(a.headers.at("content-security-policy"), HasSubstr("default-src 'none'"));
    EXPECT_EQ(a.headers.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(a.headers.at("referrer-policy"), "no-referrer");
    EXPECT_THAT(a.body, HasSubstr("assets/main.js"));
    const auto script = client().get("/assets/main.js");
    EXPECT_EQ(script.status, 200);
    EXPECT_EQ(script.headers.at("content-type"), "text/javascript; charset=utf-8");
    EXPECT_EQ(client().get("/assets/nothing.js").status, 404);
    EXPECT_EQ(client().get("/assets/index.html").status, 404);
}

TEST_F(a_gateway, sends_a_file_of_the_page_once_to_who_keeps_it) {
    start();
    auto c = client();
    const auto first = c.get("/assets/page.css");
    EXPECT_EQ(first.headers.at("cache-control"), "no-cache");
    c.headers["If-None-Match"] = first.headers.at("etag");
    c.headers["Connection"] = "close";
    c.send_request("GET", "/assets/page.css", {});
    const auto again = c.read_to_end();
    EXPECT_THAT(again, ::testing::StartsWith("HTTP/1.1 304 "));
    EXPECT_TRUE(again.ends_with("\r\n\r\n")) << again;
}

TEST_F(a_gateway, tells_the_page_that_no_key_is_needed) {
    start();
    EXPECT_EQ(client().get("/assets/gateway.json").parsed()["keys"], false);
}

// --- servers that come and go

class gateway_of_two_servers : public a_gateway {
 protected:
    void start() {
        other.emplace(server_options);
        other_servers = {other->url()};
        a_gateway::start();
    }
    static std::string id_of(const mock::server& s) {
        return "127.0.0.1:" + std::to_string(s.port());
    }
    http_answer order(const mock::server& s, const std::string& what) {
        return client().post("/admin/servers/" + id_of(s) + "/" + what, json::object());
    }
    static std::size_t replies_of(const mock::server& s) {
        return s.observe().of_path("/completion").size();
    }
    bool has_metric(const std::string& line) {
        return poll_until([&] { return client().get("/metrics").body.find(line) != line.npos; });
    }

    std::optional<mock::server> other;
};

TEST_F(gateway_of_two_servers, sends_no_turns_to_a_drained_one_until_that_is_undone) {
    start();
    const auto drained = order(*mock_server, "drain");
    EXPECT_EQ(drained.status, 200);
    EXPECT_EQ(drained.parsed()["draining"], true);
    for (int i = 0; i < 4; ++i)
        EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 200);
    EXPECT_EQ(replies_of(*mock_server), 0u);
    EXPECT_GE(replies_of(*other), 1u);
    EXPECT_TRUE(has_metric("tandem_server_draining{server=\"" + mock_server->url() + "\"} 1\n"));
    EXPECT_EQ(order(*other, "drain").status, 200);
    EXPECT_EQ(client().get("/readyz").status, 503) << "no server is left";
    EXPECT_EQ(order(*mock_server, "undrain").parsed()["draining"], false);
    EXPECT_EQ(client().post("/v1/completions", {{"prompt", "Hi"}}).status, 200);
    EXPECT_EQ(replies_of(*mock_server), 1u);
}

TEST_F(gateway_of_two_servers, lets_replies_of_a_drained_one_finish_there) {
    server_options.tokens_per_second = 20;
    start();
    EXPECT_EQ(order(*other, "drain").status, 200);
    http_client busy(port);
    busy.send_request("POST", "/v1/chat/completions", chat("Hello!", {{"stream", true}}).dump());
    ASSERT_TRUE(busy.read_until("data: "));
    EXPECT_EQ(order(*mock_server, "drain").parsed()["replies_running"], 1);
    EXPECT_EQ(text_of(busy.read_answer()), story);
    EXPECT_EQ(replies_of(*mock_server), 1u);
    EXPECT_EQ(replies_of(*other), 0u);
}

TEST_F(gateway_of_two_servers, lists_them_and_knows_no_others) {
    start();
    const auto list = client().get("/admin/servers").parsed()["data"];
    ASSERT_EQ(list.size(), 2u);
    EXPECT_EQ(list[0]["id"], id_of(*other));
    EXPECT_EQ(list[1]["model"], "talk");
    const auto unknown = client().post("/admin/servers/10.0.0.1:1/drain", json::object());
    EXPECT_EQ(unknown.status, 404);
    EXPECT_EQ(unknown.parsed()["error"]["code"], "server_not_found");
}

TEST_F(gateway_of_two_servers, may_get_others_by_name_and_address) {
    start();
    const auto name = "http://llama.invalid:" + std::to_string(other->port());
    on_loop([&] {
        EXPECT_THAT(gate->replace_servers({"talk", {name + "#127.0.0.1"}}), IsEmpty());
        EXPECT_EQ(gate->replace_servers({"talk", {"http://a", "http://a"}}).size(), 1u);
    });
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 200);
    EXPECT_EQ(replies_of(*mock_server), 0u);
    EXPECT_EQ(other->observe().of_path("/completion").size(), 1u);
    EXPECT_EQ(client().get("/admin/servers").parsed()["data"].size(), 1u);
}

// --- keys

class gateway_with_keys : public a_gateway {
 protected:
    gateway_with_keys() {
        made = gateway::make_api_key();
        options.keys = gateway::api_keys({{.name = "reception",
                                           .sha256 = *gateway::hash_sha256(made.key),
                                           .requests_per_minute = 1000}});
    }
    gateway::new_api_key made;
};

TEST_F(gateway_with_keys, lets_nobody_in_without_one_but_to_open_routes) {
    start();
    for (const auto& route : gateway::all_routes()) {
        std::string path(route.path);
        if (const auto at = path.find('{'); at != path.npos)
            path.replace(at, path.find('}') - at + 1, "x");
        http_client c(port);
        const auto a = c.ask(route.method, path, route.method == "POST" ? "{}" : "");
        if (route.required_right == gateway::right::open)
            EXPECT_THAT(a.status, AnyOf(200, 404, 503)) << path;
        else
            EXPECT_EQ(a.status, 401) << route.method << ' ' << path;
    }
    EXPECT_THAT(mock_server->observe().of_path("/completion"), IsEmpty());
}

TEST_F(gateway_with_keys, serves_the_page_to_all_and_tells_it_that_a_key_is_needed) {
    start();
    EXPECT_EQ(client().get("/").status, 200);
    EXPECT_EQ(client().get("/assets/gateway.json").parsed()["keys"], true);
}

TEST_F(gateway_with_keys, lets_in_who_has_one) {
    start();
    auto c = http_client(port);
    c.headers["Authorization"] = "Bearer " + made.key;
    EXPECT_EQ(c.post("/v1/chat/completions", chat()).status, 200);
    EXPECT_EQ(c.get("/metrics").status, 403) << "the key lacks this right";
}

TEST_F(gateway_with_keys, takes_other_keys_while_it_runs) {
    start();
    auto c = http_client(port);
    c.headers["Authorization"] = "Bearer " + made.key;
    EXPECT_EQ(c.get("/v1/models").status, 200);
    const auto other = gateway::make_api_key();
    on_loop([&] {
        gate->replace_keys(
            gateway::api_keys({{.name = "kitchen", .sha256 = *gateway::hash_sha256(other.key)}}));
    });
    EXPECT_EQ(c.get("/v1/models").status, 401);
    c.headers["Authorization"] = "Bearer " + other.key;
    EXPECT_EQ(c.get("/v1/models").status, 200);
}

TEST_F(gateway_with_keys, remembers_who_asked_and_never_the_key) {
    start();
    auto c = http_client(port);
    c.headers["Authorization"] = "Bearer " + made.key;
    c.post("/v1/chat/completions", chat());
    c.headers["Authorization"] = "Bearer " + made.key + "x";
    c.get("/v1/models");
    end();
    const auto lines = audited();
    ASSERT_EQ(lines.size(), 2u);
    const auto first = json::parse(lines[0]);
    EXPECT_EQ(first["key"], "reception");
    EXPECT_EQ(first["route"], "/v1/chat/completions");
    EXPECT_EQ(first["status"], 200);
    EXPECT_GT(first["tokens_out"], 10);
    EXPECT_EQ(json::parse(lines[1])["status"], 401);
    for (const auto& line : lines) {
        EXPECT_THAT(line, Not(HasSubstr(made.key)));
        EXPECT_THAT(line, Not(HasSubstr("Hello!"))) << "prompts are logged only on request";
    }
}

TEST_F(a_gateway, without_keys_serves_no_pages_of_other_machines) {
    start();
    auto c = http_client(port);
    c.headers["Origin"] = "https://evil.example";
    const auto refused = c.post("/v1/chat/completions", chat());
    EXPECT_EQ(refused.status, 403);
    EXPECT_EQ(refused.parsed()["error"]["code"], "foreign_origin");
    c.headers["Origin"] = "http://localhost:8090";
    EXPECT_EQ(c.post("/v1/chat/completions", chat()).status, 200);
}

TEST_F(gateway_with_keys, serves_any_page_that_has_one) {
    start();
    auto c = http_client(port);
    c.headers["Origin"] = "https://bot.example";
    c.headers["Authorization"] = "Bearer " + made.key;
    EXPECT_EQ(c.post("/v1/chat/completions", chat()).status, 200);
}

TEST_F(a_gateway, does_not_listen_if_others_reach_it_without_keys) {
    options.address = "0.0.0.0";
    EXPECT_THROW(start(), config_error);
}

}  // namespace
