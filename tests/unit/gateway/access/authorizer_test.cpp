// Which keys may use which routes.

#include "gateway/access/authorizer.hpp"

#include "authorizer_fixture.hpp"
#include "gateway/access/credential.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <type_traits>

namespace {

using namespace std::string_literals;
using namespace std::chrono_literals;
using namespace tandem::gateway;
using tandem::reply_priority;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Credentials that contain no key or an invalid one.
std::vector<credentials> without_a_key() {
    static const std::string huge(1 << 20, 'k');
    static const std::string huge_bearer = "Bearer " + huge;
    static const std::string with_nul = "Bearer bot-key\0"s;
    return {{},
            {.authorization = ""},
            {.authorization = "Bearer"},
            {.authorization = "Bearer "},
            {.authorization = "Bearer wrong"},
            {.authorization = "Bearer bot"},
            {.authorization = "Bearer bot-key,"},
            {.authorization = "bot-key"},
            {.authorization = "Basic bot-key"},
            {.authorization = with_nul},
            {.authorization = "Bearer \xFF\xFE"},
            {.authorization = huge},
            {.authorization = huge_bearer},
            {.websocket_protocols = "tandem-api-key.wrong"},
            {.websocket_protocols = "tandem-api-key."},
            {.websocket_protocols = "bot-key"},
            {.websocket_protocols = huge},
            {.remote = "bot-key"}};
}

// The path of the route with a value in place of the parameter.
std::string target_of(const route& r) {
    std::string target(r.path);
    if (const auto open = target.find('{'); open != std::string::npos)
        target.replace(open, target.find('}') + 1 - open, "some");
    return target;
}

TEST(every_route, but_the_open_ones_is_refused_without_a_key) {
    int refused = 0;
    for (const auto& r : all_routes())
        for (const auto& method : {std::string(r.method), "HEAD"s}) {
            const auto found = match_route(method, target_of(r));
            if (!std::holds_alternative<matched_route>(found)) continue;
            const auto& way = *std::get<matched_route>(found).route;
            for (const auto& c : without_a_key()) {
                gate g({key_named("bot")});
                const int status = status_of(g.access.authorize_request(way, c, at(0s)));
                EXPECT_EQ(status, way.required_right == right::open ? 200 : 401)
                    << method << " " << way.path << " " << c.authorization.substr(0, 40);
                refused += status == 401;
            }
        }
    EXPECT_GT(refused, 200) << "the loop has tested many requests";
}

TEST(every_route, is_for_those_who_have_its_right) {
    for (const auto& r : all_routes())
        for (const auto allowed : rights_of_keys) {
            auto key = key_named("bot");
            key.rights = {allowed};
            gate g({key});
            const bool may_pass = r.required_right == right::open || r.required_right == allowed;
            EXPECT_EQ(status_of(g.ask(r.endpoint, bearer("bot"))), may_pass ? 200 : 403)
                << r.path << " with " << to_string(allowed);
        }
}

TEST(every_route, is_for_all_if_there_are_no_keys) {
    gate g({});
    for (const auto& r : all_routes())
        for (const auto& c : without_a_key())
            EXPECT_EQ(status_of(g.access.authorize_request(r, c, at(0s))), 200) << r.path;
}

TEST(authorizer, is_the_only_one_that_admits) {
    EXPECT_FALSE(std::is_default_constructible_v<admitted_request>);
    EXPECT_FALSE(std::is_copy_constructible_v<admitted_request>) << "a copy would be counted twice";
    EXPECT_TRUE(std::is_nothrow_move_constructible_v<admitted_request>);
}

TEST(authorizer, reports_who_was_let_in) {
    auto key = key_named("front-desk");
    key.priority = reply_priority::high;
    key.models = {"talk"};
    gate g({key_named("bot"), key});
    const auto a = g.chat(bearer("front-desk"));
    ASSERT_EQ(status_of(a), 200);
    const auto& who = std::get<admitted_request>(a);
    EXPECT_EQ(who.key_name(), "front-desk");
    EXPECT_EQ(who.priority(), reply_priority::high);
    EXPECT_THAT(who.models(), ::testing::ElementsAre("talk"));
}

TEST(authorizer, calls_those_anonymous_who_need_no_key) {
    gate without({});
    EXPECT_EQ(std::get<admitted_request>(without.chat(bearer("bot"))).key_name(), "anonymous");
    gate with({key_named("bot")});
    EXPECT_EQ(std::get<admitted_request>(with.ask(endpoint::live, bearer("bot"))).key_name(),
              "anonymous");
}

TEST(authorizer, tells_a_client_without_a_key_how_to_send_one) {
    gate g({key_named("bot")});
    const auto e = error_of(g.chat(""));
    EXPECT_EQ(e.status, 401);
    EXPECT_EQ(e.type, "authentication_error");
    EXPECT_EQ(e.code, "invalid_api_key");
    EXPECT_EQ(e.www_authenticate, R"(Bearer realm="tandem")");
    EXPECT_THAT(e.message, HasSubstr("Authorization: Bearer"));
}

TEST(authorizer, tells_a_client_that_its_key_is_wrong_and_not_which_one) {
    gate g({key_named("bot")});
    for (const auto* const wrong : {"Bearer my-wrong-secret", "my-wrong-secret"}) {
        const auto e = error_of(g.chat(wrong));
        EXPECT_EQ(e.status, 401);
        EXPECT_EQ(e.code, "invalid_api_key");
        EXPECT_THAT(e.www_authenticate, HasSubstr("invalid_token"));
        EXPECT_THAT(encode_error_body(e), Not(HasSubstr("my-wrong-secret")));
    }
}

TEST(authorizer, names_the_right_that_a_key_lacks) {
    gate g({key_named("bot")});
    const auto e = error_of(g.ask(endpoint::metrics, bearer("bot")));
    EXPECT_EQ(e.status, 403);
    EXPECT_EQ(e.type, "permission_error");
    EXPECT_EQ(e.code, "insufficient_permissions");
    EXPECT_THAT(e.message, AllOf(HasSubstr("'bot'"), HasSubstr("'metrics'")));
}

TEST(authorizer, takes_a_key_from_a_subprotocol_for_a_websocket_only) {
    gate g({key_named("bot")});
    const credentials offered{.websocket_protocols = "tandem.v1, tandem-api-key.bot-key"};
    for (const auto& r : all_routes()) {
        const bool may_pass = r.required_right == right::open || r.endpoint == endpoint::voice;
        EXPECT_EQ(status_of(g.access.authorize_request(r, offered, at(0s))), may_pass ? 200 : 401)
            << r.path;
    }
}

TEST(check_model_allowed, allows_all_models_if_none_are_listed) {
    gate g({key_named("bot")});
    const auto a = g.chat(bearer("bot"));
    EXPECT_FALSE(check_model_allowed(std::get<admitted_request>(a), "any"));
}

TEST(check_model_allowed, allows_the_listed_models_by_their_whole_names) {
    auto key = key_named("bot");
    key.models = {"talk", "org/large"};
    gate g({key});
    const auto a = g.chat(bearer("bot"));
    for (const auto* const model : {"talk", "org/large"})
        EXPECT_FALSE(check_model_allowed(std::get<admitted_request>(a), model)) << model;
    for (const auto& model : {""s, "tal"s, "talks"s, "Talk"s, "large"s, "talk\0"s, "\xFF"s}) {
        const auto e = check_model_allowed(std::get<admitted_request>(a), model);
        ASSERT_TRUE(e) << model;
        EXPECT_EQ(e->status, 403);
        EXPECT_EQ(e->code, "model_not_allowed");
        EXPECT_EQ(e->param, "model");
    }
}

TEST(check_model_allowed, bounds_what_it_repeats) {
    auto key = key_named("bot");
    key.models = {"talk"};
    gate g({key});
    const auto a = g.chat(bearer("bot"));
    const auto e = check_model_allowed(std::get<admitted_request>(a), std::string(1 << 20, 'm'));
    ASSERT_TRUE(e);
    EXPECT_LT(e->message.size(), 300u);
}

}  // namespace
