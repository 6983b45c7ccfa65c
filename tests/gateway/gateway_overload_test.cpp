// New sessions while the server cannot generate speech for more listeners.

#include "gateway/voice_fixture.hpp"
#include "support/poll_until.hpp"

#include <deque>
#include <string>

namespace {

using namespace tandem;
using namespace tandem::testing;

/// A server that generates 100 tokens/s, and listeners of whom each uses 12 tokens/s.
class overloaded_gateway : public voice_gateway {
 protected:
    overloaded_gateway() {
        server_options.parallel = 1;
        server_options.tokens_per_second = 100;
        options.answer_cache.entries = 0;
        options.voice.silence = std::chrono::hours(1);
    }

    /// Begins all sessions before the gateway knows how fast the voice and the server are, so that
    /// it refuses none of them.
    void fill() {
        for (int i = 0; i < 12; ++i) {
            clients.emplace_back(port);
            clients.back().say({{"type", "start"}});
            ASSERT_EQ(clients.back().read()["type"], "ready");
        }
        ASSERT_TRUE(poll_until([this] {
            talk(clients.front());
            return metric("tandem_speech_load") > 1.1;
        })) << client().get("/metrics").body;
    }
    json talk(voice_client& c) {
        c.say(start_of("Hello!"));
        return listen(c);
    }
    double metric(const std::string& name) {
        const auto text = client().get("/metrics").body;
        const auto line = text.find("\n" + name + "{");
        if (line == text.npos) return -1;
        return std::stod(text.substr(text.find("} ", line) + 2));
    }
    http_answer ask(const json& more = json::object()) {
        return client().post("/v1/chat/completions", chat("Hello!", more));
    }

    std::deque<voice_client> clients;
};

TEST_F(overloaded_gateway, refuses_a_new_voice_session_and_says_when_to_try_again) {
    start();
    fill();
    auto late = voice();
    late.say({{"type", "start"}, {"text", "Hello!"}});
    const auto refused = late.read();
    EXPECT_EQ(refused["type"], "error");
    EXPECT_EQ(refused["code"], "overloaded");
    EXPECT_EQ(refused["retryable"], true);
    ASSERT_TRUE(refused.contains("retry_after_ms"));
    EXPECT_GE(refused["retry_after_ms"], 1000);
    EXPECT_LE(refused["retry_after_ms"], 30000);
    EXPECT_EQ(metric("tandem_sessions_refused_total"), 1);
}

TEST_F(overloaded_gateway, serves_the_sessions_that_it_has) {
    start();
    fill();
    ASSERT_EQ(ask().status, 503);
    for (auto& c : clients) EXPECT_EQ(talk(c)["finish_reason"], "eos");
}

TEST_F(overloaded_gateway, lets_a_session_in_on_another_connection) {
    start();
    auto first = voice();
    first.say({{"type", "start"}});
    const auto id = first.read()["session"];
    fill();
    auto second = voice();
    second.say({{"type", "start"}, {"session", id}});
    EXPECT_EQ(second.read()["resumed"], true);
}

TEST_F(overloaded_gateway, lets_in_who_waited_for_the_end_of_sessions) {
    start();
    fill();
    auto late = voice();
    late.say({{"type", "start"}});
    ASSERT_EQ(late.read()["code"], "overloaded");
    for (int i = 0; i < 8; ++i) {
        clients.back().say({{"type", "end"}});
        EXPECT_EQ(clients.back().close_code(), 1000);
        clients.pop_back();
    }
    late.say({{"type", "start"}});
    EXPECT_EQ(late.read()["type"], "ready");
}

TEST_F(overloaded_gateway, refuses_a_new_conversation_with_a_time_to_retry) {
    start();
    fill();
    for (const bool stream : {false, true}) {
        const auto a = ask({{"stream", stream}});
        EXPECT_EQ(a.status, 503);
        ASSERT_TRUE(a.headers.contains("retry-after")) << a.body;
        EXPECT_GE(std::stoi(a.headers.at("retry-after")), 1);
        EXPECT_EQ(a.parsed()["error"]["code"], "overloaded");
        EXPECT_EQ(a.parsed()["error"]["type"], "server_error");
    }
}

TEST_F(overloaded_gateway, serves_the_next_turn_of_a_conversation) {
    start();
    ASSERT_EQ(ask({{"user", "anna"}}).status, 200);
    fill();
    EXPECT_EQ(ask({{"user", "anna"}}).status, 200) << "known by its name";
    EXPECT_EQ(ask({{"user", "berta"}}).status, 503);
    auto with_history = chat();
    with_history["messages"] = {{{"role", "user"}, {"content", "Hello!"}},
                                {{"role", "assistant"}, {"content", "Hello."}},
                                {{"role", "user"}, {"content", "Hello!"}}};
    EXPECT_EQ(client().post("/v1/chat/completions", with_history).status, 200);
    EXPECT_EQ(
        client()
            .post("/v1/completions", {{"model", "talk"}, {"prompt", "Hello"}, {"max_tokens", 4}})
            .status,
        200)
        << "nobody listens to it";
}

}  // namespace
