// The order of replies if several clients wait for one slot.

#include "gateway/gateway_fixture.hpp"
#include "support/poll_until.hpp"

namespace tandem::testing {
namespace {

using ::testing::ElementsAre;

class one_slot_for_two_keys : public a_gateway {
 protected:
    one_slot_for_two_keys() {
        server_options.parallel = 1;
        server_options.tokens_per_second = 20;
        answers_with("Low?", "Low.");
        answers_with("High?", "High.");
        options.keys =
            gateway::api_keys({{.name = "low",
                                .sha256 = *gateway::hash_sha256(low.key),
                                .priority = reply_priority::low},
                               {.name = "high",
                                .sha256 = *gateway::hash_sha256(high.key),
                                .priority = reply_priority::high,
                                .rights = {gateway::right::generate, gateway::right::metrics}}});
    }
    void ask(http_client& c, const gateway::new_api_key& key, const std::string& text) {
        c.headers["Authorization"] = "Bearer " + key.key;
        c.send_request("POST", "/v1/chat/completions", chat(text).dump());
    }
    bool waits(int requests) {
        http_client c(port);
        c.headers["Authorization"] = "Bearer " + high.key;
        return poll_until([&] {
            const auto body = c.get("/metrics").body;
            const auto at = body.find("tandem_server_queue_depth{");
            const auto line = body.substr(at, body.find('\n', at) - at);
            return at != body.npos && line.ends_with(" " + std::to_string(requests));
        });
    }
    /// The replies whose completion requests follow those of the first reply, in the order of the
    /// requests.
    std::vector<std::string> asked_later() {
        std::vector<std::string> names;
        for (const auto& r : mock_server->observe().of_path("/completion"))
            names.push_back(r.prompt.find("High?") != std::string::npos  ? "high"
                            : r.prompt.find("Low?") != std::string::npos ? "low"
                                                                         : "first");
        names.erase(names.begin(),
                    std::ranges::find_if_not(names, [](const auto& n) { return n == "first"; }));
        return names;
    }

    gateway::new_api_key low = gateway::make_api_key();
    gateway::new_api_key high = gateway::make_api_key();
};

TEST_F(one_slot_for_two_keys, gives_it_to_the_key_of_the_higher_priority) {
    start();
    http_client running(port), first_to_wait(port), last_to_wait(port);
    ask(running, low, "Hello!");
    ASSERT_TRUE(server_has_begun());
    ask(first_to_wait, low, "Low?");
    ASSERT_TRUE(waits(1));
    ask(last_to_wait, high, "High?");
    ASSERT_TRUE(waits(2));
    for (auto* c : {&running, &first_to_wait, &last_to_wait})
        EXPECT_EQ(c->read_answer().status, 200);
    EXPECT_THAT(asked_later(), ElementsAre("high", "low"));
}

}  // namespace
}  // namespace tandem::testing
