// Conversations of several requests, in front of two servers.

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
        // Without a conversation's name, the gateway alternates between the servers.
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
        gateway::api_keys({{.name = "reception", .sha256 = *gateway::hash_api_key(keys[0].key)},
                           {.name = "kitchen", .sha256 = *gateway::hash_api_key(keys[1].key)}});
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

TEST_F(two_servers, go_on_with_a_conversation_whose_server_has_died) {
    start_both();
    say({{"user", "anna"}});
    const bool is_other = requests().first == 1;
    is_other ? other->stop() : mock_server->stop();
    const auto a = say({{"user", "anna"}});
    EXPECT_EQ(a.status, 200) << a.body;
    EXPECT_THAT(requests(), Pair(1u, 1u));
}

}  // namespace
