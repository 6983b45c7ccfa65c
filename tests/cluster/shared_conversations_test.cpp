// HTTP conversations whose requests reach several gateways of a cluster, in front of two servers.

#include "command/serve_fixture.hpp"
#include "gateway/voice_client.hpp"
#include "support/poll_until.hpp"
#include "support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace tandem::testing;
using tandem::mock::request_record;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;

class conversations_of_a_cluster : public serve_test {
 protected:
    conversations_of_a_cluster() {
        start_server({.tokens_per_second = 500});
        tandem::mock::options o{.tokens_per_second = 500, .replies = {{asked("Hello!"), story}}};
        o.add_bos = false;
        other.emplace(std::move(o));
    }

    static std::string asked(const std::string& text) {
        return tandem::mock::render_prompt({{"user", text}});
    }
    running_gateway add_gateway(const std::string& id, std::vector<std::string> more = {}) const {
        more.insert(more.end(), {"--url", other->url(), "--model", "talk", "--cluster", store.url(),
                                 "--gateway-id", id});
        return serve(std::move(more));
    }
    /// Waits until all gateways have joined. A gateway accepts requests before the store has
    /// answered it.
    void wait_for_members(std::size_t count) const {
        EXPECT_TRUE(poll_until([&] {
            const auto status = run({"cluster", "--cluster", store.url(), "--json"}).out;
            return json::parse(status)["gateways"].size() == count;
        }));
    }
    static json post(const running_gateway& g, const std::string& path, const json& body) {
        const auto answer = g.client().post(path, body);
        EXPECT_EQ(answer.status, 200) << answer.body;
        return answer.parsed();
    }
    /// Runs `action`. Returns which servers its requests reach: "first", "other", "both" or "none".
    template <class Action>
    std::string server_of(Action&& action) {
        const auto before = count_requests();
        action();
        const auto after = count_requests();
        if (before.first == after.first) return before.second == after.second ? "none" : "other";
        return before.second == after.second ? "first" : "both";
    }
    std::pair<std::size_t, std::size_t> count_requests() const {
        return {server_->observe().of_path("/completion").size(),
                other->observe().of_path("/completion").size()};
    }

    redis_server store;
    std::optional<tandem::mock::server> other;
};

// On a busy machine, a look-up may exceed its time limit. The conversation then starts on any
// server.
TEST_F(conversations_of_a_cluster, stay_at_their_server_if_a_client_names_them) {
    const auto a = add_gateway("a");
    const auto b = add_gateway("b");
    wait_for_members(2);
    constexpr int names = 16;
    std::set<std::string> servers;
    int stayed = 0;
    for (int i = 0; i < names; ++i) {
        auto named = chat();
        named["session_id"] = "caller-" + std::to_string(i);
        const auto first = server_of([&] { post(a, "/v1/chat/completions", named); });
        stayed += first == server_of([&] { post(b, "/v1/chat/completions", named); }) ? 1 : 0;
        servers.insert(first);
    }
    EXPECT_EQ(servers.size(), 2u);
    EXPECT_GE(stayed, names - 2);
}

TEST_F(conversations_of_a_cluster, go_on_from_a_response_of_another_gateway) {
    const auto a = add_gateway("a");
    const auto b = add_gateway("b");
    wait_for_members(2);
    const auto first = post(a, "/v1/responses", {{"model", "talk"}, {"input", "Hello!"}});
    const json next{
        {"model", "talk"}, {"input", "And you?"}, {"previous_response_id", first["id"]}};
    post(b, "/v1/responses", next);
    auto requests = server_->observe().of_path("/completion");
    for (auto& r : other->observe().of_path("/completion")) requests.push_back(std::move(r));
    EXPECT_THAT(requests, Contains(Field(&request_record::prompt,
                                         AllOf(HasSubstr("Hello!"), HasSubstr("And you?")))));
}

TEST_F(conversations_of_a_cluster, do_not_go_on_from_a_response_of_another_key) {
    const auto mine = make_key("mine");
    const auto yours = make_key("yours");
    const auto file = temporary_path("keys");
    write(file, "{\"keys\": [" + mine.entry + "," + yours.entry + "]}");
    const auto a = add_gateway("a", {"--keys", file});
    const auto b = add_gateway("b", {"--keys", file});
    wait_for_members(2);
    const auto post_as = [](const running_gateway& g, const made_key& k, const json& body) {
        auto c = g.client();
        c.headers["Authorization"] = "Bearer " + k.key;
        return c.post("/v1/responses", body);
    };
    const auto first = post_as(a, mine, {{"model", "talk"}, {"input", "Hello!"}}).parsed();
    const json next{
        {"model", "talk"}, {"input", "And you?"}, {"previous_response_id", first["id"]}};
    EXPECT_EQ(post_as(b, yours, next).status, 400);
    EXPECT_EQ(post_as(b, mine, next).status, 200);
}

TEST_F(conversations_of_a_cluster, are_told_that_the_store_is_away) {
    const auto a = add_gateway("a");
    const auto b = add_gateway("b");
    wait_for_members(2);
    const auto first = post(a, "/v1/responses", {{"model", "talk"}, {"input", "Hello!"}});
    store.suspend();
    const auto answer = b.client().post(
        "/v1/responses",
        json{{"model", "talk"}, {"input", "And you?"}, {"previous_response_id", first["id"]}});
    EXPECT_EQ(answer.status, 503);
    EXPECT_EQ(answer.parsed()["error"]["code"], "cluster_unavailable");
    store.resume();
}

TEST_F(conversations_of_a_cluster, are_cancelled_while_the_store_is_asked_for_their_server) {
    const auto a = add_gateway("a");
    wait_for_members(1);
    voice_client c(a.port, "", "", "", "/v1/responses");
    store.suspend();
    c.say({{"type", "response.create"},
           {"model", "talk"},
           {"input", "Hello!"},
           {"prompt_cache_key", "caller"}});
    c.say({{"type", "response.cancel"}});
    EXPECT_EQ(c.read("response.created")["response"]["status"], "in_progress");
    store.resume();
    EXPECT_FALSE(c.read("response.failed").is_null());
}

TEST_F(conversations_of_a_cluster, are_not_cancelled_by_the_id_of_an_earlier_response) {
    const auto a = add_gateway("a");
    wait_for_members(1);
    voice_client c(a.port, "", "", "", "/v1/responses");
    json create{{"type", "response.create"}, {"model", "talk"}, {"input", "Hello!"}};
    c.say(create);
    const auto first = c.read("response.completed")["response"]["id"];
    create["prompt_cache_key"] = "caller";
    store.suspend();
    c.say(create);
    c.say({{"type", "response.cancel"}, {"response_id", first}});
    EXPECT_EQ(c.read("response.created")["response"]["status"], "in_progress");
    store.resume();
    EXPECT_FALSE(c.read("response.completed").is_null());
}

TEST_F(conversations_of_a_cluster, go_on_from_the_newest_of_many_responses) {
    const auto a = add_gateway("a");
    const auto b = add_gateway("b");
    wait_for_members(2);
    auto input = json::array();
    for (int i = 0; i < 10; ++i) {
        const auto one =
            post(i < 9 ? b : a, "/v1/responses", {{"model", "talk"}, {"input", "Hello!"}});
        input.push_back({{"role", "user"}, {"content", "Hello!"}});
        input.push_back({{"type", "item_reference"}, {"id", one["output"][0]["id"]}});
    }
    input.push_back({{"role", "user"}, {"content", "And you?"}});
    post(b, "/v1/responses", {{"model", "talk"}, {"input", input}});
}

TEST_F(conversations_of_a_cluster, do_not_go_on_from_a_response_that_no_gateway_has) {
    const auto a = add_gateway("a");
    wait_for_members(1);
    const auto answer = a.client().post(
        "/v1/responses",
        json{{"model", "talk"}, {"input", "And you?"}, {"previous_response_id", "resp_1"}});
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(answer.parsed()["error"]["code"], "previous_response_not_found");
}

}  // namespace
