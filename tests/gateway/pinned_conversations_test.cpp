// Conversations that consist of several requests, with a gateway that has two servers.

#include "gateway/gateway_fixture.hpp"

#include <array>

namespace {

using namespace tandem;
using namespace tandem::testing;
using ::testing::AnyOf;
using ::testing::Pair;

class two_servers : public a_gateway {
 protected:
    two_servers() {
        // For requests that name no conversation, the gateway alternates between the servers.
        options.service.placement = placement::round_robin;
        options.answer_cache.entries = 0;
        answers_with("And?", "That is all.");
    }
    void start_both() {
        other.emplace(server_options);
        other_servers = {other->url()};
        start();
    }
    http_answer say(const json& more) {
        return client().post("/v1/chat/completions", chat("Hello!", more));
    }
    /// The number of completion requests at each server.
    std::pair<std::size_t, std::size_t> requests() {
        return {other->observe().of_path("/completion").size(),
                mock_server->observe().of_path("/completion").size()};
    }

    std::optional<mock::server> other;
};

TEST_F(two_servers, have_a_conversation_with_a_name_at_one_of_them) {
    start_both();
    for (const auto* name : {"session_id", "prompt_cache_key", "user"})
        for (const bool stream : {false, true})
            for (int i = 0; i < 2; ++i) {
                const auto a = say({{name, "anna"}, {"stream", stream}});
                ASSERT_EQ(a.status, 200) << a.body;
            }
    EXPECT_THAT(requests(), AnyOf(Pair(12u, 0u), Pair(0u, 12u)));
}

TEST_F(two_servers, know_the_same_name_of_another_key_for_another_conversation) {
    const std::array keys{gateway::make_api_key(), gateway::make_api_key()};
    options.keys =
        gateway::api_keys({{.name = "reception", .sha256 = *gateway::hash_sha256(keys[0].key)},
                           {.name = "kitchen", .sha256 = *gateway::hash_sha256(keys[1].key)}});
    start_both();
    for (int i = 0; i < 2; ++i)
        for (const auto& k : keys) {
            auto c = client();
            c.headers["Authorization"] = "Bearer " + k.key;
            const auto a = c.post("/v1/chat/completions", chat("Hello!", {{"user", "anna"}}));
            ASSERT_EQ(a.status, 200) << a.body;
        }
    EXPECT_THAT(requests(), Pair(2u, 2u)) << "each of them at one server";
}

TEST_F(two_servers, share_what_has_no_name) {
    start_both();
    for (int i = 0; i < 4; ++i) say({});
    EXPECT_THAT(requests(), Pair(2u, 2u));
}

TEST_F(two_servers, evaluate_only_what_is_new_of_a_conversation_with_a_name) {
    start_both();
    auto body = chat("Hello!", {{"user", "anna"}});
    const auto first = client().post("/v1/chat/completions", body).parsed();
    body["messages"].push_back(first["choices"][0]["message"]);
    body["messages"].push_back({{"role", "user"}, {"content", "And?"}});
    const auto usage = client().post("/v1/chat/completions", body).parsed()["usage"];
    EXPECT_GE(usage["prompt_tokens_details"]["cached_tokens"].get<int>(),
              first["usage"]["prompt_tokens"].get<int>())
        << usage;
}

TEST_F(two_servers, continue_with_a_conversation_whose_server_has_died) {
    start_both();
    say({{"user", "anna"}});
    const bool is_other = requests().first == 1;
    is_other ? other->stop() : mock_server->stop();
    const auto a = say({{"user", "anna"}});
    EXPECT_EQ(a.status, 200) << a.body;
    EXPECT_THAT(requests(), Pair(1u, 1u));
}

class a_conversation_with_a_clock : public a_gateway {
 protected:
    /// The token usage of the answer to a dialogue whose system prompt contains the time.
    json usage_at(const std::string& time, int exchanges) {
        auto messages =
            json::array({{{"role", "system"},
                          {"content",
                           "You are the voice of the Blue Heron, a restaurant by the lake. Be "
                           "brief, and never say a price. It is " +
                               time + " now."}}});
        for (int i = 0; i < exchanges; ++i) {
            messages.push_back({{"role", "user"}, {"content", "Hello!"}});
            messages.push_back({{"role", "assistant"}, {"content", "Good evening."}});
        }
        messages.push_back({{"role", "user"}, {"content", "And?"}});
        const auto a = client().post(
            "/v1/chat/completions",
            {{"model", "talk"}, {"messages", messages}, {"user", "anna"}, {"max_tokens", 3}});
        EXPECT_EQ(a.status, 200) << a.body;
        return a.parsed()["usage"];
    }
};

TEST_F(a_conversation_with_a_clock, is_told_why_the_server_evaluates_its_history_again) {
    std::vector<std::string> warnings;
    options.instruments.log = {
        log_level::warning, [&](log_level, std::string_view line) { warnings.emplace_back(line); }};
    start();
    EXPECT_FALSE(usage_at("18:30", 0).contains("cache_break"));
    const auto broken = usage_at("18:31", 1)["cache_break"];
    EXPECT_EQ(broken["cause"], "system_prompt");
    EXPECT_GT(broken["of"], broken["at"]);
    EXPECT_THAT(broken["text"].get<std::string>(), ::testing::HasSubstr("8:31"));
    usage_at("18:32", 2);
    usage_at("18:33", 3);
    EXPECT_FALSE(usage_at("18:33", 4).contains("cache_break"));
    EXPECT_NE(
        client()
            .get("/metrics")
            .body.find(R"(tandem_cache_breaks_total{cause="system_prompt",model="talk",server=")" +
                       mock_server->url() + R"("} 3)"),
        std::string::npos);
    end();
    EXPECT_THAT(warnings, ::testing::ElementsAre(
                              ::testing::HasSubstr("the system prompt has changed in 3 turns")));
}

}  // namespace
