// Traces of replies, as a collector receives them.

#include "gateway/voice_fixture.hpp"
#include "support/otlp_collector.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::UnorderedElementsAre;

const std::string known_trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string caller_span = "00f067aa0ba902b7";

class exporting_gateway : public voice_gateway {
 protected:
    exporting_gateway() { options.traces.endpoint = collector.url(); }
    ~exporting_gateway() override { end(); }

    /// Waits until this many requests have ended. A request ends only after its answer has been
    /// sent.
    void wait_for_requests(std::size_t count) {
        EXPECT_TRUE(poll_until([&] { return audited().size() >= count; }));
    }
    /// Ends the gateway, which then sends its last spans, and returns all spans.
    std::vector<json> spans() {
        end();
        return collector.spans();
    }
    static std::vector<std::string> events_of(const json& span) {
        std::vector<std::string> names;
        for (const auto& e : span["events"]) names.push_back(e["name"]);
        return names;
    }
    static double seconds(const json& span, const std::string& part) {
        const auto value = otlp_collector::attribute(span, "tandem.wait." + part);
        return value.is_null() ? 0 : value.get<double>();
    }
    static double sum_of_waits(const json& span) {
        double sum = 0;
        for (const char* part :
             {"detector", "before_start", "turn_wait", "slot_wait", "first_token", "first_chunk"})
            sum += seconds(span, part);
        return sum;
    }
    static void expect_child(const json& chat, const json& turn) {
        EXPECT_EQ(chat["name"], "chat talk");
        EXPECT_EQ(chat["traceId"], turn["traceId"]);
        EXPECT_EQ(chat["parentSpanId"], turn["spanId"]);
        EXPECT_EQ(otlp_collector::attribute(chat, "server.address"), "127.0.0.1");
        EXPECT_NE(otlp_collector::attribute(chat, "gen_ai.usage.output_tokens"), "0");
    }

    otlp_collector collector;
    const std::string traceparent = "00-" + known_trace + "-" + caller_span + "-01";
};

TEST_F(exporting_gateway, sends_a_voice_turn_with_its_requests_and_events) {
    start();
    voice_client c(port, "tandem.voice.v1", {}, traceparent);
    auto first = start_of("Hello!");
    first["turn"] = "t1";
    first["user_stopped_ms_ago"] = 400;
    first["vad_stop_ms"] = 300;
    c.say(first);
    EXPECT_EQ(listen(c)["type"], "end");
    const auto all = spans();
    ASSERT_GE(all.size(), 2u);
    const auto& turn = all[0];
    EXPECT_EQ(turn["name"], "voice turn");
    EXPECT_EQ(turn["traceId"], known_trace);
    EXPECT_EQ(turn["parentSpanId"], caller_span);
    EXPECT_EQ(otlp_collector::attribute(turn, "tandem.turn"), "t1");
    EXPECT_THAT(events_of(turn), Contains("chunk"));
    EXPECT_THAT(events_of(turn), Contains("continue"));
    EXPECT_NEAR(sum_of_waits(turn), seconds(turn, "total"), 1e-3);
    EXPECT_GE(seconds(turn, "total"), 0.4);
    expect_child(all[1], turn);
    const auto asked = mock_server->observe().of_path("/completion");
    EXPECT_EQ(asked.back().header("traceparent"),
              "00-" + known_trace + "-" + turn["spanId"].get<std::string>() + "-01");
}

TEST_F(exporting_gateway, puts_a_voice_turn_below_the_traceparent_of_its_start) {
    start();
    voice_client c(port, "tandem.voice.v1", {},
                   "00-" + std::string(32, 'a') + "-" + caller_span + "-01");
    for (const bool is_traced : {true, false}) {
        auto turn = start_of("Hello!");
        if (is_traced) turn["traceparent"] = traceparent;
        c.say(turn);
        EXPECT_EQ(listen(c)["type"], "end");
    }
    std::vector<std::string> traces;
    for (const auto& s : spans())
        if (s["name"] == "voice turn") traces.push_back(s["traceId"]);
    EXPECT_THAT(traces, ElementsAre(known_trace, std::string(32, 'a')));
    EXPECT_EQ(json::parse(audited().at(0))["trace_id"], known_trace);
    EXPECT_EQ(json::parse(audited().at(1))["trace_id"], std::string(32, 'a'));
}

TEST_F(exporting_gateway, sends_an_http_request) {
    start();
    auto c = client();
    c.headers["traceparent"] = traceparent;
    c.headers["X-Request-Id"] = "trace-7";
    EXPECT_EQ(c.post("/v1/chat/completions", chat()).status, 200);
    wait_for_requests(1);
    const auto all = spans();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0]["name"], "POST /v1/chat/completions");
    EXPECT_EQ(all[0]["parentSpanId"], caller_span);
    EXPECT_EQ(otlp_collector::attribute(all[0], "tandem.request_id"), "trace-7");
    EXPECT_EQ(otlp_collector::attribute(all[0], "http.response.status_code"), "200");
    EXPECT_NEAR(sum_of_waits(all[0]), seconds(all[0], "total"), 1e-3);
    expect_child(all[1], all[0]);
}

TEST_F(exporting_gateway, logs_the_trace_that_it_begins) {
    start();
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 200);
    wait_for_requests(1);
    const auto all = spans();
    ASSERT_FALSE(all.empty());
    EXPECT_FALSE(all[0].contains("parentSpanId"));
    EXPECT_EQ(json::parse(audited().at(0))["trace_id"], all[0]["traceId"]);
}

TEST_F(exporting_gateway, sends_streams_and_responses_and_requests_that_it_refuses) {
    start();
    auto c = client();
    c.headers["Cache-Control"] = "no-store";
    c.post("/v1/chat/completions", chat("Hello!", {{"stream", true}}));
    c.post("/v1/responses", {{"input", "Hello!"}});
    c.post("/v1/chat/completions", {{"messages", 7}});
    c.get("/health");
    wait_for_requests(4);
    std::vector<std::string> names;
    for (const auto& s : spans())
        if (s["kind"] == 2) names.push_back(s["name"]);
    EXPECT_THAT(names, ElementsAre("POST /v1/chat/completions", "POST /v1/responses",
                                   "POST /v1/chat/completions"));
    EXPECT_EQ(collector.spans().back()["status"]["code"], 2);
}

TEST_F(exporting_gateway, sends_a_response_of_a_websocket) {
    start();
    voice_client c(port, "", "", traceparent, "/v1/responses");
    c.say({{"type", "response.create"}, {"model", "talk"}, {"input", "Hello!"}});
    c.read("response.completed");
    wait_for_requests(1);
    const auto all = spans();
    ASSERT_EQ(all.size(), 2u);
    EXPECT_EQ(all[0]["name"], "response turn");
    EXPECT_EQ(all[0]["parentSpanId"], caller_span);
    EXPECT_EQ(otlp_collector::attribute(all[0], "http.route"), "/v1/responses");
    expect_child(all[1], all[0]);
}

TEST_F(exporting_gateway, sends_the_calls_of_a_reply_as_events) {
    server_options.tool_template = true;
    answers_with(
        "What time is it?",
        "One moment.\n<tool_call>\n{\"name\": \"clock\", \"arguments\": {}}\n</tool_call>");
    start();
    auto c = voice();
    auto turn = start_of("What time is it?");
    turn["options"]["tools"] = json::parse(
        R"([{"type":"function","function":{"name":"clock","parameters":{"type":"object"}}}])");
    c.say(turn);
    const auto call = c.read("call");
    EXPECT_EQ(c.read("end")["finish_reason"], "tool_calls");
    const auto all = spans();
    ASSERT_FALSE(all.empty());
    // A call is sent as soon as it is known, so its event may precede that of the chunk.
    EXPECT_THAT(events_of(all[0]), UnorderedElementsAre("chunk", "call"));
    const auto& event = all[0]["events"][events_of(all[0])[0] == "call" ? 0 : 1];
    EXPECT_EQ(otlp_collector::attribute(event, "gen_ai.tool.name"), "clock");
    EXPECT_EQ(otlp_collector::attribute(event, "gen_ai.tool.call.id"), call["id"]);
    EXPECT_TRUE(otlp_collector::attribute(event, "gen_ai.tool.call.arguments").is_null());
}

TEST_F(exporting_gateway, sends_an_interruption_as_an_event) {
    start();
    auto c = voice();
    c.say(start_of("Long"));
    c.read("chunk");
    c.say({{"type", "interrupt"}});
    EXPECT_EQ(c.read("end")["finish_reason"], "interrupted");
    const auto all = spans();
    ASSERT_FALSE(all.empty());
    // Checks only that the event exists: on a busy machine, the times in the reply differ a little
    // from the gateway's times.
    EXPECT_THAT(events_of(all[0]), Contains("interrupt"));
}

TEST_F(exporting_gateway, names_the_turn_of_a_reply_that_is_resumed) {
    start();
    auto c = voice();
    c.say(start_of("Hello!"));
    c.read("chunk");
    c.say({{"type", "interrupt"}});
    c.read("end");
    c.say({{"type", "resume"}, {"turn", "t2"}});
    EXPECT_EQ(listen(c)["type"], "end");
    std::vector<json> turns;
    for (const auto& s : spans())
        if (s["name"] == "voice turn") turns.push_back(otlp_collector::attribute(s, "tandem.turn"));
    EXPECT_THAT(turns, ElementsAre(json(), json("t2")));
}

TEST_F(exporting_gateway, sends_no_texts_unless_they_are_asked_for) {
    start();
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 200);
    wait_for_requests(1);
    end();
    EXPECT_EQ(collector.requests().size(), 1u);
    for (const auto& request : collector.requests()) {
        EXPECT_THAT(request, Not(HasSubstr("Hello")));
        EXPECT_THAT(request, Not(HasSubstr("very well")));
    }
}

TEST_F(exporting_gateway, sends_texts_that_are_asked_for) {
    options.traces.texts = true;
    start();
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 200);
    wait_for_requests(1);
    auto c = voice();
    c.say(start_of("And you?"));
    EXPECT_EQ(listen(c)["type"], "end");
    std::vector<std::string> texts;
    for (const auto& s : spans())
        for (const char* key : {"gen_ai.input.messages", "gen_ai.output.messages"})
            if (const auto text = otlp_collector::attribute(s, key); !text.is_null())
                texts.push_back(json::parse(text.get<std::string>())[0]["parts"][0]["content"]);
    EXPECT_THAT(texts, ElementsAre("Hello!", story, "And you?", StartsWith("Fine.")));
}

TEST_F(exporting_gateway, sends_nothing_of_a_trace_that_its_caller_does_not_record) {
    start();
    auto c = client();
    const auto unrecorded = "00-" + known_trace + "-" + caller_span + "-00";
    c.headers["traceparent"] = unrecorded;
    EXPECT_EQ(c.post("/v1/chat/completions", chat()).status, 200);
    EXPECT_EQ(mock_server->observe().of_path("/completion").back().header("traceparent"),
              unrecorded);
    wait_for_requests(1);
    EXPECT_THAT(spans(), IsEmpty());
}

TEST_F(exporting_gateway, counts_traces_that_the_collector_refuses) {
    const otlp_collector refusing({whole_answer("no key", "401 Unauthorized")});
    options.traces.endpoint = refusing.url();
    start();
    const auto dropped = [&](const std::string& count) {
        return client()
                   .get("/metrics")
                   .body.find("\ntandem_traces_dropped_total " + count + "\n") != std::string::npos;
    };
    EXPECT_TRUE(dropped("0"));
    EXPECT_EQ(client().post("/v1/chat/completions", chat()).status, 200);
    EXPECT_TRUE(poll_until([&] { return dropped("1"); }));
    end();
}

}  // namespace
