// Ids by which other systems identify a request.

#include "gateway/voice_fixture.hpp"

#include <string>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;

const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string traceparent = "00-" + trace + "-00f067aa0ba902b7-01";

class traced_gateway : public voice_gateway {
 protected:
    traced_gateway() {
        options.instruments.log = {log_level::info, [this](log_level, std::string_view line) {
                                       const std::lock_guard lock(log_mutex);
                                       log.emplace_back(line);
                                   }};
    }
    ~traced_gateway() override { end(); }
    std::string traceparent_at_the_server() {
        return mock_server->observe().of_path("/completion").back().header("traceparent");
    }

    std::mutex log_mutex;
    std::vector<std::string> log;  // the gateway's threads write to it until end()
};

TEST_F(traced_gateway, passes_the_trace_of_a_request_on) {
    start();
    auto c = client();
    c.headers["traceparent"] = traceparent;
    c.post("/v1/chat/completions", chat());
    EXPECT_EQ(traceparent_at_the_server(), traceparent);
}

TEST_F(traced_gateway, writes_the_trace_down) {
    start();
    auto c = client();
    c.headers["traceparent"] = traceparent;
    c.headers["X-Request-Id"] = "trace-7";
    c.post("/v1/chat/completions", chat());
    end();
    EXPECT_EQ(json::parse(audited().at(0))["trace_id"], trace);
    EXPECT_THAT(log, Contains(AllOf(HasSubstr("request trace-7: POST /v1/chat/completions: 200"),
                                    HasSubstr("eos, trace " + trace))));
}

TEST_F(traced_gateway, takes_a_malformed_trace_for_none) {
    start();
    auto c = client();
    c.headers["traceparent"] = "00-" + trace + "-0-01";
    EXPECT_EQ(c.post("/v1/chat/completions", chat()).status, 200);
    EXPECT_EQ(traceparent_at_the_server(), "");
    end();
    EXPECT_TRUE(json::parse(audited().at(0))["trace_id"].is_null());
}

TEST_F(traced_gateway, gives_no_trace_to_the_request_after_it) {
    start();
    auto c = client();
    c.headers["traceparent"] = traceparent;
    c.post("/v1/chat/completions", chat());
    c.headers = {{"Cache-Control", "no-store"}};  // bypasses the answer cache
    c.post("/v1/chat/completions", chat());
    EXPECT_EQ(traceparent_at_the_server(), "");
}

TEST_F(traced_gateway, passes_the_trace_of_a_websocket_on_with_each_turn) {
    start();
    voice_client c(port, "tandem.voice.v1", {}, traceparent);
    c.say(start_of("Hello!"));
    c.read("ready");
    listen(c);
    EXPECT_EQ(traceparent_at_the_server(), traceparent);
    c.say(start_of("And you?"));
    EXPECT_EQ(listen(c)["type"], "end");
    EXPECT_EQ(traceparent_at_the_server(), traceparent);
    end();
    EXPECT_EQ(json::parse(audited().at(0))["trace_id"], trace);
    EXPECT_THAT(log, Contains(HasSubstr("trace " + trace)));
}

}  // namespace
