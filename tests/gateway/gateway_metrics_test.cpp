// The contents of /metrics, and the clients that may read them.

#include "gateway/voice_fixture.hpp"
#include "support/poll_until.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::HasSubstr;
using ::testing::Not;

/// The value in the line with this name and these labels; empty if there is no such line.
std::optional<double> value(const std::string& text, const std::string& name,
                            const std::vector<std::string>& labels = {}) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        if (!line.starts_with(name + "{") && !line.starts_with(name + " ")) continue;
        if (std::ranges::all_of(labels, [&](const auto& l) { return line.find(l) != line.npos; }))
            return std::stod(line.substr(line.rfind(' ')));
    }
    return std::nullopt;
}

class measured_gateway : public voice_gateway {
 protected:
    std::string metrics() { return client().get("/metrics").body; }
    /// Waits until the metric has this value. The gateway counts a request only after answering it.
    bool becomes(const std::string& name, const std::vector<std::string>& labels, double wanted) {
        return poll_until([&] { return value(metrics(), name, labels) == wanted; });
    }
    bool appears(const std::string& label) {
        return poll_until([&] { return metrics().find(label) != std::string::npos; });
    }
};

TEST_F(measured_gateway, tells_prometheus_in_its_format) {
    start();
    const auto a = client().get("/metrics");
    EXPECT_EQ(a.status, 200);
    EXPECT_EQ(a.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_THAT(a.body, HasSubstr("# TYPE tandem_replies_total counter\n"));
    EXPECT_THAT(a.body, HasSubstr(mock_server->url()));
    EXPECT_EQ(value(a.body, "tandem_http_connections"), 1);
}

TEST_F(measured_gateway, counts_replies_and_their_tokens) {
    start();
    client().post("/v1/chat/completions", chat());
    client().post("/v1/chat/completions", chat("Hello!", {{"stream", true}}));
    const auto text = metrics();
    EXPECT_EQ(value(text, "tandem_replies_total", {R"(finish_reason="eos")", R"(model="talk")"}),
              2);
    EXPECT_GT(value(text, "tandem_tokens_total", {R"(kind="generated")"}), 20);
    EXPECT_GT(value(text, "tandem_tokens_total", {R"(kind="prompt_cached")"}), 0)
        << "the second one found the first one's slot";
    EXPECT_EQ(value(text, "tandem_reply_first_token_seconds_count"), 2);
    EXPECT_EQ(value(text, "tandem_reply_first_chunk_seconds_count"), 0)
        << "neither reply was delivered by chunk";
    EXPECT_EQ(value(text, "tandem_server_state", {R"(state="up")"}), 1);
    EXPECT_TRUE(becomes("tandem_http_requests_total",
                        {R"(route="/v1/chat/completions")", R"(status="200")"}, 2));
}

TEST_F(measured_gateway, counts_the_chunks_of_a_stream_by_chunk) {
    start();
    client().post("/v1/chat/completions",
                  chat("Hello!", {{"stream", true}, {"stream_by", "chunk"}}));
    const auto text = metrics();
    EXPECT_EQ(value(text, "tandem_reply_first_chunk_seconds_count"), 1);
    EXPECT_EQ(value(text, "tandem_chunk_gap_seconds_count"), 2) << "three sentences have two gaps";
}

TEST_F(measured_gateway, counts_replies_that_fail) {
    options.service.health_interval = 1h;
    start();
    ASSERT_TRUE(is_ready());
    mock_server->stop();
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 503);
    const auto text = metrics();
    EXPECT_EQ(value(text, "tandem_replies_total", {R"(finish_reason="error")", R"(server="none")"}),
              1)
        << "it ran on no server";
    EXPECT_EQ(
        value(text, "tandem_reply_errors_total", {R"(code="connect_failed")", R"(server="none")"}),
        1);
    EXPECT_EQ(value(text, "tandem_server_state", {R"(state="down")"}), 1);
}

TEST_F(measured_gateway, reports_that_a_circuit_is_open) {
    options.service.client.failover.breaker_failures = 1;
    options.service.client.failover.breaker_pause = 1h;
    server_options.faults = {{.kind = mock::fault_kind::reset, .at_token = 3}};
    start();
    EXPECT_EQ(value(metrics(), "tandem_server_circuit_open"), 0);
    client().post("/v1/chat/completions", chat());
    EXPECT_EQ(value(metrics(), "tandem_server_circuit_open"), 1);
}

TEST_F(measured_gateway, measures_the_silence_of_a_voice_turn) {
    start();
    auto c = voice();
    auto first = start_of("Hello!");
    first["user_stopped_ms_ago"] = 700;
    first["vad_stop_ms"] = 500;
    c.say(first);
    c.read("ready");
    const auto end = listen(c);
    const auto told = end["metrics"]["voice_to_voice_ms"];
    EXPECT_EQ(told["detector"], 500);
    EXPECT_EQ(told["before_start"], 200);
    double sum = 0;
    for (const auto& [part, ms] : told.items())
        if (part != "total") sum += ms.get<double>();
    EXPECT_NEAR(sum, told["total"].get<double>(), 0.001);
    EXPECT_GE(told["total"], 700 + end["metrics"]["first_chunk_ms"].get<double>());

    const auto text = metrics();
    EXPECT_EQ(value(text, "tandem_voice_to_voice_seconds_count"), 1);
    EXPECT_EQ(value(text, "tandem_voice_to_voice_part_seconds_sum", {R"(part="detector")"}), 0.5);
    EXPECT_EQ(value(text, "tandem_chunk_gap_seconds_count"), 2);
    EXPECT_EQ(value(text, "tandem_voice_sockets"), 1);
    EXPECT_EQ(value(text, "tandem_voice_sessions"), 1);
    c.say({{"type", "end"}});
    EXPECT_EQ(c.close_code(), 1000);
    EXPECT_TRUE(becomes("tandem_voice_sockets", {}, 0));
    EXPECT_TRUE(becomes("tandem_http_requests_total", {R"(route="/v1/voice")", "101"}, 1));
}

TEST_F(measured_gateway, has_bounded_labels_whatever_clients_ask_for) {
    start();
    const auto ask_oddly = [this](int i) {
        const auto odd = "odd" + std::to_string(i);
        client().get("/" + odd);
        client().get("/v1/models/" + odd);
        client().ask("ODD" + std::to_string(i), "/health", {});
        auto more = chat();
        more["model"] = odd;
        more["user"] = odd;
        client().post("/v1/chat/completions", more);
    };
    const auto lines = [](const std::string& text) { return std::ranges::count(text, '\n'); };
    ask_oddly(0);
    ask_oddly(1);
    EXPECT_TRUE(becomes("tandem_http_requests_total", {R"(route="/v1/chat/completions")"}, 2));
    EXPECT_TRUE(appears(R"(route="/metrics")"));
    const auto before = lines(metrics());
    for (int i = 2; i < 20; ++i) ask_oddly(i);
    const auto text = metrics();
    EXPECT_EQ(lines(text), before);
    EXPECT_THAT(text, Not(HasSubstr("odd")));
    EXPECT_THAT(text, Not(HasSubstr("ODD")));
}

TEST_F(measured_gateway, tells_nobody_without_the_right) {
    const auto talker = gateway::make_api_key(), operator_key = gateway::make_api_key();
    options.keys =
        gateway::api_keys({{.name = "talker", .sha256 = *gateway::hash_sha256(talker.key)},
                           {.name = "operator",
                            .sha256 = *gateway::hash_sha256(operator_key.key),
                            .rights = {gateway::right::metrics}}});
    start();
    auto c = http_client(port);
    EXPECT_EQ(c.get("/metrics").status, 401);
    c.headers["Authorization"] = "Bearer " + talker.key;
    const auto refused = c.get("/metrics");
    EXPECT_EQ(refused.status, 403);
    EXPECT_THAT(refused.body, Not(HasSubstr(mock_server->url())));
    c.headers["Authorization"] = "Bearer " + operator_key.key;
    EXPECT_EQ(c.get("/metrics").status, 200);
    EXPECT_THAT(c.get("/metrics").body, Not(HasSubstr("talker")));
}

}  // namespace
