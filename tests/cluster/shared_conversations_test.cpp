// HTTP conversations whose requests reach several gateways of a cluster, in front of two servers.

#include "command/serve_fixture.hpp"
#include "support/redis_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
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
using ::testing::IsSupersetOf;

class conversations_of_a_cluster : public serve_test {
 protected:
    conversations_of_a_cluster() {
        start_server();
        tandem::mock::options o{.replies = {{asked("Hello!"), story}}};
        o.add_bos = false;
        other.emplace(std::move(o));
    }

    static std::string asked(const std::string& text) {
        return tandem::mock::render_prompt({{"user", text}});
    }
    running_gateway add_gateway(const std::string& id) const {
        return serve({"--url", other->url(), "--model", "talk", "--cluster", store.url(),
                      "--gateway-id", id});
    }
    static json post(const running_gateway& g, const std::string& path, const json& body) {
        const auto answer = g.client().post(path, body);
        EXPECT_EQ(answer.status, 200) << answer.body;
        return answer.parsed();
    }
    /// Which server the requests of an action reach.
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

TEST_F(conversations_of_a_cluster, stay_at_their_server_if_a_client_names_them) {
    const auto a = add_gateway("a");
    const auto b = add_gateway("b");
    std::vector<std::string> first;
    std::vector<std::string> next;
    for (const auto* name : {"anna", "ben", "clara", "dora", "emil", "frida", "greta", "hugo"}) {
        auto named = chat();
        named["session_id"] = name;
        first.push_back(server_of([&] { post(a, "/v1/chat/completions", named); }));
        next.push_back(server_of([&] { post(b, "/v1/chat/completions", named); }));
    }
    EXPECT_THAT(first, IsSupersetOf({"first", "other"}));
    EXPECT_EQ(next, first);
}

TEST_F(conversations_of_a_cluster, go_on_from_a_response_of_another_gateway) {
    const auto a = add_gateway("a");
    const auto b = add_gateway("b");
    const auto first = post(a, "/v1/responses", {{"model", "talk"}, {"input", "Hello!"}});
    const json next{
        {"model", "talk"}, {"input", "And you?"}, {"previous_response_id", first["id"]}};
    post(b, "/v1/responses", next);
    auto requests = server_->observe().of_path("/completion");
    for (auto& r : other->observe().of_path("/completion")) requests.push_back(std::move(r));
    EXPECT_THAT(requests, Contains(Field(&request_record::prompt,
                                         AllOf(HasSubstr("Hello!"), HasSubstr("And you?")))));
}

TEST_F(conversations_of_a_cluster, do_not_go_on_from_a_response_that_no_gateway_has) {
    const auto a = add_gateway("a");
    const auto answer = a.client().post(
        "/v1/responses",
        json{{"model", "talk"}, {"input", "And you?"}, {"previous_response_id", "resp_1"}});
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(answer.parsed()["error"]["code"], "previous_response_not_found");
}

}  // namespace
