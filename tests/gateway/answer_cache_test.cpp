// At temperature 0, the gateway repeats whole answers to identical requests.

#include "gateway/gateway_fixture.hpp"

#include <set>
#include <string>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::ElementsAre;

class the_same_question : public a_gateway {
 protected:
    the_same_question() { options.service.client.generation.temperature = 0; }
    std::size_t requests() { return mock_server->observe().of_path("/completion").size(); }
    static std::string text(const http_answer& a) {
        return a.parsed()["choices"][0]["message"]["content"];
    }
    static std::string cache(const http_answer& a) {
        const auto found = a.headers.find("x-tandem-cache");
        return found == a.headers.end() ? "" : found->second;
    }
    /// The generated tokens of each chat request, according to the audit.
    std::vector<int> audited_tokens() {
        std::vector<int> tokens;
        for (const auto& line : audited())
            if (const auto l = json::parse(line); l["route"] == "/v1/chat/completions")
                tokens.push_back(l["tokens_out"].get<int>());
        return tokens;
    }
};

TEST_F(the_same_question, is_answered_with_calls_that_have_ids_of_their_own) {
    const std::string call = "<tool_call>\n{\"name\": \"now\", \"arguments\": {}}\n</tool_call>";
    server_options.tool_template = true;
    answers_with("Time?", call + "\n" + call);
    start();
    const json tools{{{"type", "function"}, {"function", {{"name", "now"}}}}};
    std::set<std::string> ids;
    for (int i = 0; i < 3; ++i) {
        const auto a = client().post("/v1/chat/completions",
                                     chat("Time?", {{"tools", tools}, {"temperature", 0}}));
        EXPECT_EQ(cache(a), i == 0 ? "miss" : "hit");
        const auto body = a.parsed();
        for (const auto& made : body["choices"][0]["message"]["tool_calls"])
            ids.insert(made["id"].get<std::string>());
    }
    EXPECT_EQ(ids.size(), 6u);
}

TEST_F(the_same_question, has_its_answer_kept) {
    start();
    const auto a = client().post("/v1/chat/completions", chat());
    const auto b = client().post("/v1/chat/completions", chat());
    EXPECT_EQ(text(b), story);
    EXPECT_EQ(cache(b), "hit");
    EXPECT_NE(a.parsed()["id"], b.parsed()["id"]);
    const auto usage = b.parsed()["usage"];
    EXPECT_EQ(usage["prompt_tokens"], a.parsed()["usage"]["prompt_tokens"]);
    EXPECT_EQ(usage["prompt_tokens_details"]["cached_tokens"], usage["prompt_tokens"]);
    EXPECT_EQ(requests(), 1u);
}

TEST_F(the_same_question, costs_its_tokens_once) {
    start();
    const auto first = client().post("/v1/chat/completions", chat());
    client().post("/v1/chat/completions", chat());
    end();
    EXPECT_THAT(audited_tokens(),
                ElementsAre(first.parsed()["usage"]["completion_tokens"].get<int>(), 0));
}

TEST_F(the_same_question, is_asked_again_if_its_answer_may_differ) {
    start();
    const auto post = [&](json more) {
        return client().post("/v1/chat/completions", chat("Hello!", std::move(more)));
    };
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(cache(post({{"temperature", 0.7}})), "");
        EXPECT_EQ(cache(post({{"stream", true}})), "");
        http_client fresh(port);
        fresh.headers["Cache-Control"] = "no-cache";
        EXPECT_EQ(cache(fresh.post("/v1/chat/completions", chat())), "");
    }
    EXPECT_EQ(cache(post({})), "miss");
    EXPECT_EQ(cache(post({{"max_tokens", 500}})), "miss");
    EXPECT_EQ(requests(), 8u);
}

TEST_F(the_same_question, is_asked_again_if_nobody_set_a_temperature) {
    options.service.client.generation.temperature.reset();
    start();
    for (int i = 0; i < 2; ++i) EXPECT_EQ(cache(client().post("/v1/chat/completions", chat())), "");
    EXPECT_EQ(requests(), 2u);
}

TEST_F(the_same_question, of_a_raw_prompt_is_asked_once) {
    server_options.replies.push_back({"Once upon", " a time."});
    start();
    const json body{{"model", "talk"}, {"prompt", "Once upon"}};
    EXPECT_EQ(cache(client().post("/v1/completions", body)), "miss");
    const auto a = client().post("/v1/completions", body);
    EXPECT_EQ(cache(a), "hit");
    EXPECT_EQ(a.parsed()["choices"][0]["text"], " a time.");
}

TEST_F(the_same_question, is_asked_each_time_if_no_answers_are_kept) {
    options.answer_cache.entries = 0;
    start();
    for (int i = 0; i < 2; ++i) EXPECT_EQ(cache(client().post("/v1/chat/completions", chat())), "");
    EXPECT_EQ(requests(), 2u);
}

TEST_F(the_same_question, is_asked_again_after_a_failure) {
    options.service.client.failover.retries = 0;
    server_options.faults = {{.kind = mock::fault_kind::close, .at_token = 3, .times = 1}};
    start();
    const auto failed = client().post("/v1/chat/completions", chat());
    EXPECT_EQ(failed.status, 502) << failed.body;
    EXPECT_EQ(failed.parsed()["error"]["code"], "stream_incomplete");
    const auto again = client().post("/v1/chat/completions", chat());
    EXPECT_EQ(cache(again), "miss");
    EXPECT_EQ(text(again), story);
}

TEST_F(the_same_question, is_asked_again_if_its_client_left_before_the_end) {
    answers_with("Long", std::string(400, 'x') + ".");
    server_options.tokens_per_second = 200;
    start();
    http_client leaving(port);
    leaving.send_request("POST", "/v1/chat/completions", chat("Long").dump());
    ASSERT_TRUE(server_has_begun());
    leaving.close();
    ASSERT_TRUE(server_gets_idle());
    const auto again = client().post("/v1/chat/completions", chat("Long"));
    EXPECT_EQ(cache(again), "miss");
    EXPECT_EQ(text(again).size(), 401u);
}

}  // namespace
