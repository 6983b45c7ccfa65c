// Replies over OpenAI's API.

#include "gateway/gateway_fixture.hpp"
#include "support/captured_log.hpp"
#include "support/poll_until.hpp"

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;

TEST_F(a_gateway, cuts_a_stream_by_chunk_as_its_request_says) {
    answers_with("Wann?", "Am 3. Mai. Gern.");
    start();
    auto c = client();
    const auto pieces = [&](json more) {
        more.update({{"stream", true}, {"stream_by", "chunk"}});
        const auto answer = c.post("/v1/chat/completions", chat("Wann?", more));
        EXPECT_EQ(text_of(answer), "Am 3. Mai. Gern.");
        return answer.events().size();
    };
    EXPECT_EQ(pieces({{"language", "en"}}), pieces({{"language", "de"}}) + 1) << "Am 3.";
    EXPECT_LT(
        pieces({{"language", "de"}, {"chunk_min_chars", 100}, {"first_chunk_min_tokens", 20}}),
        pieces({{"language", "de"}}));
}

TEST_F(a_gateway, answers_a_chat_in_one_body) {
    start();
    const auto a = client().post("/v1/chat/completions", chat());
    ASSERT_EQ(a.status, 200) << a.body;
    const auto body = a.parsed();
    EXPECT_EQ(body["object"], "chat.completion");
    EXPECT_EQ(body["model"], "talk");
    EXPECT_EQ(body["choices"][0]["message"]["content"], story);
    EXPECT_EQ(body["choices"][0]["finish_reason"], "stop");
    EXPECT_GT(body["usage"]["completion_tokens"], 10);
    EXPECT_EQ(a.headers.at("content-type"), "application/json");
}

TEST_F(a_gateway, streams_a_chat_by_token) {
    start();
    const auto a = client().post("/v1/chat/completions", chat("Hello!", {{"stream", true}}));
    EXPECT_THAT(a.headers.at("content-type"), HasSubstr("text/event-stream"));
    EXPECT_EQ(text_of(a), story);
    EXPECT_GT(a.events().size(), 12u);
    EXPECT_EQ(a.events().back(), "[DONE]");
    EXPECT_EQ(json::parse(a.events().front())["choices"][0]["delta"]["role"], "assistant");
}

TEST_F(a_gateway, streams_a_chat_by_chunk_if_that_is_wanted) {
    start();
    const auto a = client().post("/v1/chat/completions",
                                 chat("Hello!", {{"stream", true}, {"stream_by", "chunk"}}));
    EXPECT_EQ(text_of(a), story);
    EXPECT_THAT(a.events(), SizeIs(5)) << "three sentences, the end, and [DONE]";
}

TEST_F(a_gateway, answers_a_completion_of_a_raw_prompt) {
    server_options.replies.push_back({"Once upon", " a time."});
    start();
    const auto a =
        client().post("/v1/completions", json{{"model", "talk"}, {"prompt", "Once upon"}});
    EXPECT_EQ(a.parsed()["choices"][0]["text"], " a time.") << a.body;
}

TEST_F(a_gateway, answers_a_raw_prompt_with_all_that_the_model_wrote) {
    const std::string text = "Hm.\n</think>\n\na <think>b</think> c.";
    server_options.replies.push_back({"Once upon <think>", text});
    start();
    for (const auto* unit : {"", "token", "chunk"}) {
        json request{{"model", "talk"}, {"prompt", "Once upon <think>"}};
        if (*unit) request.update({{"stream", true}, {"stream_by", unit}});
        const auto a = client().post("/v1/completions", request);
        std::string got = *unit ? "" : a.parsed()["choices"][0].value("text", "");
        for (const auto& event : a.events())
            if (event != "[DONE]") got += json::parse(event)["choices"][0].value("text", "");
        EXPECT_EQ(got, text) << unit << a.body;
    }
}

TEST_F(a_gateway, tells_by_how_much_a_raw_prompt_is_too_long) {
    server_options.parallel = 1;
    server_options.ctx_size = 100;
    start();
    std::string prompt;
    for (int i = 0; i < 100; ++i) prompt += " word";
    const auto a = client().post("/v1/completions", json{{"model", "talk"}, {"prompt", prompt}});
    EXPECT_EQ(a.status, 400);
    const auto message = a.parsed()["error"].value("message", "");
    EXPECT_THAT(message, HasSubstr("the prompt has "));
    EXPECT_THAT(message, HasSubstr("; shorten it, or start the server"));
}

// --- tool calls

const std::string call_of_weather =
    "<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"city\": \"Bonn\"}}\n</tool_call>";
const json weather_tools = json::parse(R"([{"type":"function","function":{"name":"weather",
    "parameters":{"type":"object","properties":{"city":{"type":"string"}}}}}])");

class a_gateway_with_tools : public a_gateway {
 protected:
    a_gateway_with_tools() { server_options.tool_template = true; }

    http_answer ask(const json& more = json::object()) {
        json members{{"tools", weather_tools}};
        members.update(more);
        return client().post("/v1/chat/completions", chat("Weather?", members));
    }
    static std::vector<json> pieces_of_call(const http_answer& a) {
        std::vector<json> pieces;
        for (const auto& event : a.events()) {
            const auto e = json::parse(event, nullptr, false);
            if (!e.is_object() || e.value("choices", json::array()).empty()) continue;
            const auto calls = e["choices"][0]["delta"].value("tool_calls", json::array());
            for (const auto& call : calls) {
                EXPECT_EQ(call["index"], 0);
                pieces.push_back(call);
            }
        }
        return pieces;
    }
};

TEST_F(a_gateway_with_tools, answers_with_the_calls_and_the_text_before_them) {
    answers_with("Weather?", "One moment.\n" + call_of_weather);
    start();
    const auto a = ask();
    const auto choice = a.parsed()["choices"][0];
    EXPECT_EQ(choice["finish_reason"], "tool_calls") << a.body;
    EXPECT_EQ(choice["message"]["content"], "One moment.");
    const auto call = choice["message"]["tool_calls"][0];
    EXPECT_EQ(call["function"]["name"], "weather");
    EXPECT_EQ(json::parse(call["function"]["arguments"].get<std::string>()),
              json({{"city", "Bonn"}}));
}

TEST_F(a_gateway_with_tools, streams_the_text_by_token_and_then_the_calls) {
    answers_with("Weather?", "One moment.\n" + call_of_weather + "\n" + call_of_weather);
    start();
    const auto a = ask({{"stream", true}});
    EXPECT_EQ(text_of(a), "One moment.\n");
    EXPECT_THAT(a.body, HasSubstr(R"("index":1)")) << "the second call";
    EXPECT_THAT(a.body, HasSubstr(R"("finish_reason":"tool_calls")"));
    EXPECT_THAT(a.body, Not(HasSubstr("tool_call>")));
}

TEST_F(a_gateway_with_tools, answers_with_one_call_if_parallel_calls_are_disabled) {
    answers_with("Weather?", call_of_weather + "\n" + call_of_weather);
    start();
    EXPECT_THAT(ask().parsed()["choices"][0]["message"]["tool_calls"], SizeIs(2));
    EXPECT_THAT(
        ask({{"parallel_tool_calls", false}}).parsed()["choices"][0]["message"]["tool_calls"],
        SizeIs(1));
}

TEST_F(a_gateway_with_tools, reads_a_required_call_from_json_without_its_text) {
    answers_with("Weather?", R"({"name":"weather","parameters":{"city":"Bonn"}})");
    start();
    const auto a = ask({{"tool_choice", "required"}});
    EXPECT_THAT(a.body, HasSubstr(R"("arguments":"{\"city\":\"Bonn\"}")"));
    EXPECT_THAT(a.body, HasSubstr(R"("finish_reason":"tool_calls")"));
    EXPECT_THAT(a.body, HasSubstr(R"("content":null)"));
}

TEST_F(a_gateway_with_tools, streams_a_required_call_as_it_is_generated) {
    answers_with("Weather?", R"({"name":"weather","parameters":{"city":"Bonn am Rhein"}})");
    server_options.tokens_per_second = 20;  // pieces that arrive together are sent as one
    start();
    const auto calls = pieces_of_call(ask({{"tool_choice", "required"}, {"stream", true}}));
    ASSERT_GE(calls.size(), 3u);
    EXPECT_EQ(calls[0]["function"]["name"], "weather");
    EXPECT_EQ(calls[0]["id"].get<std::string>().size(), 9u);
    EXPECT_FALSE(calls[1].contains("id"));
    std::string arguments;
    for (const auto& call : calls) arguments += call["function"]["arguments"];
    EXPECT_EQ(arguments, R"({"city":"Bonn am Rhein"})");
}

TEST_F(a_gateway_with_tools, ends_with_an_error_if_the_server_fails_within_a_required_call) {
    answers_with("Weather?", R"({"name":"weather","parameters":{"city":"Bonn am Rhein"}})");
    server_options.faults = {{.kind = mock::fault_kind::reset, .at_token = 20}};
    start();
    const auto a = ask({{"tool_choice", "required"}, {"stream", true}});
    EXPECT_FALSE(pieces_of_call(a).empty());
    EXPECT_THAT(a.events().back(), HasSubstr(R"("error")"));
}

TEST_F(a_gateway_with_tools, answers_in_the_requested_format_if_the_model_calls_nothing) {
    answers_with("Weather?", R"({"sunny":true})");
    start();
    const json format{{"response_format", {{"type", "json_object"}}}};
    EXPECT_EQ(ask(format).parsed()["choices"][0]["message"]["content"], R"({"sunny":true})");
}

TEST_F(a_gateway_with_tools, calls_a_function_in_place_of_an_answer_in_the_requested_format) {
    answers_with("Weather?", R"({"name":"weather","parameters":{}})");
    start();
    const auto a = ask({{"response_format", {{"type", "json_object"}}}});
    EXPECT_EQ(a.parsed()["choices"][0]["finish_reason"], "tool_calls") << a.body;
}

TEST_F(a_gateway_with_tools, fails_with_a_call_that_the_server_cannot_parse_and_its_text) {
    answers_with("Weather?", "One moment. <tool_call>\nweather(Bonn)\n</tool_call>");
    start();
    const auto whole = ask();
    EXPECT_EQ(whole.status, 502);
    EXPECT_EQ(whole.parsed()["error"]["code"], "invalid_tool_call");
    EXPECT_THAT(whole.body, HasSubstr("weather(Bonn)"));
    const auto stream = ask({{"stream", true}});
    EXPECT_EQ(text_of(stream), "One moment. ");
    EXPECT_THAT(stream.events().back(), HasSubstr("invalid_tool_call"));
    EXPECT_THAT(stream.events().back(), HasSubstr("weather(Bonn)"));
}

TEST_F(a_gateway_with_tools, ends_with_length_if_the_token_limit_cuts_a_call_off) {
    answers_with("Weather?", "One moment. " + call_of_weather);
    start();
    const auto whole = ask({{"max_tokens", 12}});
    const auto choice = whole.parsed()["choices"][0];
    EXPECT_EQ(choice["finish_reason"], "length") << whole.body;
    EXPECT_EQ(choice["message"]["content"], "One moment.");
    EXPECT_FALSE(choice["message"].contains("tool_calls"));
    const auto stream = ask({{"max_tokens", 12}, {"stream", true}});
    EXPECT_EQ(text_of(stream), "One moment. ");
    EXPECT_THAT(stream.body, HasSubstr(R"("finish_reason":"length")"));
}

TEST_F(a_gateway, returns_calls_as_text_if_the_template_does_not_show_how_they_begin) {
    answers_with("Weather?", call_of_weather);
    captured_log log;
    options.instruments.log = log.logger();
    start();
    const auto a =
        client().post("/v1/chat/completions", chat("Weather?", {{"tools", weather_tools}}));
    EXPECT_EQ(a.parsed()["choices"][0]["message"]["content"], call_of_weather);
    EXPECT_EQ(log.count(log_level::warning, "how a tool call begins"), 1u);
}

TEST_F(a_gateway, reports_what_the_model_wrote_for_itself_separately) {
    answers_with("Think!", "<think>\nWell. So it is.</think>\n\nYes. It is.");
    start();
    const auto whole = client().post("/v1/chat/completions", chat("Think!"));
    const auto message = whole.parsed()["choices"][0]["message"];
    EXPECT_EQ(message["reasoning_content"], "Well. So it is.") << whole.body;
    EXPECT_EQ(message["content"], "Yes. It is.");
}

TEST_F(a_gateway, streams_what_the_model_wrote_for_itself_before_the_text) {
    answers_with("Think!", "<think>\nWell. So it is.</think>\n\nYes. It is.");
    start();
    for (const auto* by : {"token", "chunk"}) {
        const auto a = client().post("/v1/chat/completions",
                                     chat("Think!", {{"stream", true}, {"stream_by", by}}));
        EXPECT_EQ(text_of(a, "reasoning_content"), "Well. So it is.") << a.body;
        EXPECT_EQ(text_of(a), "Yes. It is.");
        const auto first = json::parse(a.events().front())["choices"][0]["delta"];
        EXPECT_EQ(first["role"], "assistant");
        EXPECT_TRUE(first.contains("reasoning_content"));
    }
}

// --- failures

TEST_F(a_gateway, has_a_status_for_what_fails_before_the_first_text) {
    options.service.client.failover.retries = 0;
    start();
    mock_server->stop();
    for (const bool stream : {false, true}) {
        const auto a = client().post("/v1/chat/completions", chat("Hello!", {{"stream", stream}}));
        EXPECT_EQ(a.status, 503) << a.body;
        EXPECT_TRUE(a.parsed()["error"].is_object()) << a.body;
    }
}

TEST_F(a_gateway, ends_a_stream_that_fails_with_the_error_and_without_done) {
    options.service.client.failover.retries = 0;
    server_options.faults = {{.kind = mock::fault_kind::crash, .at_token = 3}};
    start();
    const auto a = client().post("/v1/chat/completions", chat("Hello!", {{"stream", true}}));
    EXPECT_EQ(a.status, 200);
    const auto last = json::parse(a.events().back(), nullptr, false);
    ASSERT_TRUE(last.is_object()) << a.body;
    EXPECT_EQ(last["error"]["code"], "stream_incomplete");
    EXPECT_THAT(a.body, Not(HasSubstr("[DONE]")));
}

TEST_F(a_gateway, reports_which_field_is_wrong) {
    start();
    const auto a = client().post("/v1/chat/completions",
                                 json{{"messages", json::array({{{"role", "wizard"}}})}});
    EXPECT_EQ(a.status, 400);
    EXPECT_EQ(a.parsed()["error"]["param"], "messages[0].role");
}

TEST_F(a_gateway, refuses_what_the_policy_denies) {
    options.prompts.denied = {"secret sauce"};
    start();
    const auto a = client().post("/v1/chat/completions", chat("Give me the SECRET sauce!"));
    EXPECT_EQ(a.status, 400);
    EXPECT_EQ(a.parsed()["error"]["code"], "content_policy");
    EXPECT_THAT(mock_server->observe().of_path("/completion"), IsEmpty());
}

TEST_F(a_gateway, looks_for_what_is_denied_in_tools_and_their_calls_too) {
    options.prompts.denied = {"secret sauce"};
    start();
    const json tools{{{"type", "function"},
                      {"function", {{"name", "cook"}, {"description", "makes secret sauce"}}}}};
    EXPECT_EQ(client().post("/v1/chat/completions", chat("Hello!", {{"tools", tools}})).status,
              400);
    EXPECT_THAT(mock_server->observe().of_path("/completion"), IsEmpty());
}

TEST_F(a_gateway, looks_for_what_is_denied_behind_the_escapes_of_json) {
    options.prompts.denied = {"secret sauce"};
    start();
    const auto status_of = [this](const json& more) {
        return client().post("/v1/chat/completions", chat("Hello!", more)).status;
    };
    EXPECT_EQ(
        status_of({{"tools",
                    {{{"type", "function"},
                      {"function", {{"name", "cook"}, {"description", "a\nsecret sauce"}}}}}}}),
        400);
    EXPECT_EQ(status_of({{"json_schema", {{"title", "secret\nsauce"}}}}), 400);
    EXPECT_EQ(status_of({{"chat_template_kwargs", {{"a", "secret\tsauce"}}}}), 400);
    auto called = chat();
    called["messages"].push_back(
        {{"role", "assistant"},
         {"tool_calls",
          {{{"id", "c"},
            {"type", "function"},
            {"function", {{"name", "f"}, {"arguments", R"({"a":"\u0073ecret sauce"})"}}}}}}});
    called["messages"].push_back({{"role", "tool"}, {"tool_call_id", "c"}, {"content", "Done."}});
    EXPECT_EQ(client().post("/v1/chat/completions", called).status, 400);
    EXPECT_THAT(mock_server->observe().of_path("/completion"), IsEmpty());
}

TEST_F(a_gateway, passes_further_fields_on_to_the_server) {
    start();
    client().post("/v1/chat/completions",
                  chat("Hello!", {{"logit_bias", {{"5", -100}}},
                                  {"typical_p", 0.5},
                                  {"reasoning_effort", "low"},
                                  {"chat_template_kwargs", {{"enable_thinking", false}}}}));
    const auto completion = json::parse(mock_server->observe().of_path("/completion").back().body);
    EXPECT_EQ(completion["logit_bias"], json({{"5", -100}}));
    EXPECT_EQ(completion["typical_p"], 0.5);
    EXPECT_FALSE(completion.contains("reasoning_effort"));
    const auto prompt = json::parse(mock_server->observe().of_path("/apply-template").back().body);
    EXPECT_EQ(prompt["reasoning_effort"], "low");
    EXPECT_EQ(prompt["chat_template_kwargs"], json({{"enable_thinking", false}}));
}

TEST_F(a_gateway, names_the_replys_lines_of_the_log_in_the_audit) {
    captured_log log;
    options.instruments.log = log.logger();
    start();
    for (const bool stream : {false, true})
        client().post("/v1/chat/completions", chat("Hello!", {{"stream", stream}}));
    ASSERT_TRUE(poll_until([&] { return audited().size() == 2; }));
    for (const auto& line : audited()) {
        const auto name = "reply " + json::parse(line)["reply"].dump();
        EXPECT_GE(log.count(log_level::info, name + ":"), 1u) << "the reply's own log line";
        EXPECT_EQ(log.count(log_level::info, ", " + name + ","), 1u) << "the request's log line";
    }
}

// --- clients that disconnect

class leaving_client : public a_gateway {
 protected:
    leaving_client() {
        server_options.tokens_per_second = 20;
        answers_with("Long", std::string(2000, 'x') + ".");
    }
    bool server_sees_the_cut() { return server_sees(mock::outcome::cut); }
};

TEST_F(leaving_client, stops_the_servers_generation_of_a_stream) {
    start();
    http_client c(port);
    c.send_request("POST", "/v1/chat/completions", chat("Long", {{"stream", true}}).dump());
    ASSERT_TRUE(c.read_until("data: "));
    c.close();
    EXPECT_TRUE(server_sees_the_cut());
    EXPECT_TRUE(server_gets_idle());
}

TEST_F(leaving_client, stops_the_servers_generation_of_a_whole_answer) {
    start();
    for (const bool is_reset : {false, true}) {
        http_client c(port);
        c.send_request("POST", "/v1/chat/completions", chat("Long").dump());
        ASSERT_TRUE(server_has_begun());
        is_reset ? c.reset() : c.close();
        EXPECT_TRUE(server_sees_the_cut());
    }
}

TEST_F(leaving_client, has_no_status_if_it_left_before_its_answer_began) {
    start();
    for (const bool is_stream : {false, true}) {
        http_client c(port);
        const json how{{"stream", is_stream}, {"stream_by", "chunk"}};
        c.send_request("POST", "/v1/chat/completions", chat("Long", how).dump());
        ASSERT_TRUE(server_has_begun());
        c.close();
        EXPECT_TRUE(server_sees_the_cut());
    }
    ASSERT_TRUE(poll_until([&] { return audited().size() == 2; }));
    for (const auto& line : audited()) {
        EXPECT_EQ(json::parse(line)["status"], 0) << line;
        EXPECT_TRUE(json::parse(line)["error"].is_null()) << line;
        EXPECT_EQ(json::parse(line)["finish_reason"], "interrupted") << line;
    }
    EXPECT_THAT(client().get("/metrics").body,
                HasSubstr(R"(route="/v1/chat/completions",status="none"} 2)"));
}

// The gateway must notice that the client is gone, although the client's second request is still
// unread.
TEST_F(leaving_client, is_seen_after_a_request_that_it_sent_ahead) {
    start();
    http_client c(port);
    c.send_request("POST", "/v1/chat/completions", chat("Long", {{"stream", true}}).dump());
    ASSERT_TRUE(c.read_until("data: "));
    c.send("GET /health HTTP/1.1\r\nHost: gateway\r\n\r\n");
    c.close();
    EXPECT_TRUE(server_sees_the_cut());
}

}  // namespace
