// Changes of keys while requests run.

#include "authorizer_fixture.hpp"
#include "gateway/access/authorizer.hpp"

#include <gtest/gtest.h>

#include <memory>

namespace {

using namespace std::chrono_literals;
using namespace tandem::gateway;
using tandem::reply_priority;

void replace(gate& g, std::vector<api_key> keys) {
    g.access.replace_keys(api_keys(std::move(keys)));
}

api_key with_limits(std::int64_t requests_per_minute, std::int64_t concurrent) {
    auto key = key_named("bot");
    key.requests_per_minute = requests_per_minute;
    key.concurrent = concurrent;
    return key;
}

TEST(replace_keys, lets_new_keys_in_and_old_ones_no_more) {
    gate g({key_named("old"), key_named("kept")});
    replace(g, {key_named("new"), key_named("kept")});
    EXPECT_EQ(status_of(g.chat(bearer("old"))), 401);
    EXPECT_EQ(status_of(g.chat(bearer("new"))), 200);
    EXPECT_EQ(status_of(g.chat(bearer("kept"))), 200);
}

TEST(replace_keys, takes_a_new_key_under_an_old_name) {
    gate g({key_named("bot")});
    auto rotated = key_named("bot");
    rotated.sha256 = *hash_sha256("rotated-key");
    replace(g, {rotated});
    EXPECT_EQ(status_of(g.chat(bearer("bot"))), 401);
    const auto a = g.chat("Bearer rotated-key");
    ASSERT_EQ(status_of(a), 200);
    EXPECT_EQ(std::get<admitted_request>(a).key_name(), "bot");
}

TEST(replace_keys, keeps_what_a_key_has_used) {
    gate g({with_limits(10, 0)});
    EXPECT_EQ(g.let_in(bearer("bot"), 5), 5);
    replace(g, {with_limits(10, 0), key_named("other")});
    EXPECT_EQ(g.let_in(bearer("bot"), 10), 5);
}

TEST(replace_keys, changes_bounds_at_once) {
    gate g({with_limits(10, 0)});
    g.let_in(bearer("bot"), 10);
    replace(g, {with_limits(0, 0)});
    EXPECT_EQ(g.let_in(bearer("bot"), 100), 100);
}

TEST(replace_keys, counts_replies_that_run) {
    gate g({with_limits(0, 2)});
    auto one = g.chat(bearer("bot"));
    const auto two = g.chat(bearer("bot"));
    replace(g, {with_limits(0, 1)});
    EXPECT_EQ(g.let_in(bearer("bot"), 1), 0);
    std::get<admitted_request>(one).release();
    EXPECT_EQ(g.let_in(bearer("bot"), 1), 0) << "one request runs, which is the limit";
    replace(g, {with_limits(0, 2)});
    EXPECT_EQ(g.let_in(bearer("bot"), 1), 1);
}

TEST(replace_keys, leaves_what_runs_as_it_was_let_in) {
    auto key = key_named("bot");
    key.models = {"talk"};
    gate g({key});
    const auto a = g.chat(bearer("bot"));
    const auto& running = std::get<admitted_request>(a);
    key.models = {"other"};
    key.priority = reply_priority::low;
    replace(g, {key});
    EXPECT_FALSE(check_model_allowed(running, "talk"));
    EXPECT_TRUE(check_model_allowed(running, "other"));
    EXPECT_EQ(running.priority(), reply_priority::normal);
    replace(g, {key_named("another")});
    EXPECT_EQ(running.key_name(), "bot");
    g.access.charge_tokens(running, at(0s), 100);
}

TEST(replace_keys, shuts_the_gate_if_none_are_left) {
    gate g({key_named("bot")});
    replace(g, {});
    EXPECT_FALSE(g.access.allows_anonymous());
    for (const auto& authorization : {std::string(), bearer("bot")})
        EXPECT_EQ(status_of(g.chat(authorization)), 401) << authorization;
    replace(g, {key_named("bot")});
    EXPECT_EQ(status_of(g.chat(bearer("bot"))), 200);
}

TEST(replace_keys, shuts_a_gate_that_was_open) {
    gate g({});
    EXPECT_TRUE(g.access.allows_anonymous());
    const auto session = std::get<admitted_request>(g.ask(endpoint::voice, ""));
    replace(g, {key_named("bot")});
    EXPECT_EQ(status_of(g.chat("")), 401);
    EXPECT_EQ(status_of(g.access.authorize_reply(session, at(0s))), 401);
}

TEST(authorize_reply, goes_by_the_keys_that_are_there_now) {
    gate g({key_named("bot")});
    const auto session = std::get<admitted_request>(g.ask(endpoint::voice, bearer("bot")));
    EXPECT_EQ(status_of(g.access.authorize_reply(session, at(0s))), 200);

    auto high = key_named("bot");
    high.priority = reply_priority::high;
    replace(g, {high});
    const auto reply = g.access.authorize_reply(session, at(0s));
    EXPECT_EQ(std::get<admitted_request>(reply).priority(), reply_priority::high);

    auto read_only = key_named("bot");
    read_only.rights = {right::read};
    replace(g, {read_only});
    EXPECT_EQ(status_of(g.access.authorize_reply(session, at(0s))), 403);
}

TEST(authorize_reply, refuses_a_session_whose_key_is_gone) {
    gate g({key_named("bot"), key_named("other")});
    const auto session = std::get<admitted_request>(g.ask(endpoint::voice, bearer("bot")));
    auto rotated = key_named("bot");
    rotated.sha256 = *hash_sha256("rotated-key");
    replace(g, {rotated});
    EXPECT_EQ(error_of(g.access.authorize_reply(session, at(0s))).code, "invalid_api_key");
    replace(g, {key_named("other")});
    EXPECT_EQ(status_of(g.access.authorize_reply(session, at(0s))), 401);
}

TEST(admitted_request, may_outlive_the_authorizer) {
    auto g = std::make_unique<gate>(std::vector{with_limits(10, 1)});
    auto running = std::get<admitted_request>(g->chat(bearer("bot")));
    g.reset();
    EXPECT_EQ(running.key_name(), "bot");
    running.release();
}

}  // namespace
