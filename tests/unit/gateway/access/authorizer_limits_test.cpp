// Limits of the request rate and of concurrent requests.

#include "authorizer_fixture.hpp"
#include "gateway/access/authorizer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using namespace tandem::gateway;
using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr auto home = "10.0.0.1";
constexpr auto elsewhere = "10.0.0.2";

api_key limited(std::int64_t requests_per_minute) {
    auto key = key_named("bot");
    key.requests_per_minute = requests_per_minute;
    return key;
}

api_key with_seats(std::int64_t concurrent) {
    auto key = key_named("bot");
    key.concurrent = concurrent;
    return key;
}

TEST(requests_per_minute, are_a_bound_with_a_time_to_try_again) {
    gate g({limited(30)});
    EXPECT_EQ(g.let_in(bearer("bot"), 100), 30);
    const auto e = error_of(g.chat(bearer("bot"), at(100ms)));
    EXPECT_EQ(e.status, 429);
    EXPECT_EQ(e.type, "rate_limit_error");
    EXPECT_EQ(e.code, "rate_limit_exceeded");
    EXPECT_EQ(e.retry_after, 2s) << "1.9 s, rounded up";
    EXPECT_THAT(e.message, AllOf(HasSubstr("'bot'"), HasSubstr("30 requests"), HasSubstr("2 s")));
    EXPECT_EQ(status_of(g.chat(bearer("bot"), at(2s))), 200) << "refused requests do not count";
}

TEST(requests_per_minute, count_for_each_key_apart) {
    gate g({limited(1), key_named("other")});
    EXPECT_EQ(g.let_in(bearer("bot"), 10), 1);
    EXPECT_EQ(g.let_in(bearer("other"), 10), 10);
}

TEST(requests_per_minute, count_requests_for_replies_alone) {
    gate g({limited(1)});
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(status_of(g.ask(endpoint::live, bearer("bot"))), 200);
        EXPECT_EQ(status_of(g.ask(endpoint::metrics, bearer("bot"))), 403);
        EXPECT_EQ(status_of(g.ask(endpoint::list_models, bearer("bot"))), 200);
        EXPECT_EQ(status_of(g.ask(endpoint::voice, bearer("bot"))), 200);
        EXPECT_EQ(status_of(g.ask(endpoint::response_socket, bearer("bot"))), 200);
    }
    EXPECT_EQ(g.let_in(bearer("bot"), 10), 1);
}

TEST(tokens_per_minute, let_no_reply_begin_until_what_was_used_is_paid_off) {
    auto key = key_named("bot");
    key.tokens_per_minute = 600;
    gate g({key});
    const auto first = g.chat(bearer("bot"));
    g.access.charge_tokens(std::get<admitted_request>(first), at(0s), 900);
    const auto e = error_of(g.chat(bearer("bot"), at(0s)));
    EXPECT_EQ(e.status, 429);
    EXPECT_EQ(e.retry_after, 31s) << "300 tokens too many, and one to start with";
    EXPECT_THAT(e.message, HasSubstr("600 tokens"));
    EXPECT_EQ(status_of(g.ask(endpoint::list_models, bearer("bot"))), 200) << "needs no tokens";
    EXPECT_EQ(status_of(g.chat(bearer("bot"), at(31s))), 200);
}

TEST(tokens_per_minute, are_charged_also_when_the_reply_was_released) {
    auto key = key_named("bot");
    key.tokens_per_minute = 60;
    gate g({key});
    auto reply = g.chat(bearer("bot"));
    std::get<admitted_request>(reply).release();
    g.access.charge_tokens(std::get<admitted_request>(reply), at(0s), 60);
    EXPECT_EQ(status_of(g.chat(bearer("bot"), at(0s))), 429);
}

TEST(concurrent, is_a_bound_of_replies_until_they_are_released) {
    gate g({with_seats(2)});
    auto one = g.chat(bearer("bot"));
    auto two = g.ask(endpoint::completions, bearer("bot"));
    const auto e = error_of(g.chat(bearer("bot")));
    EXPECT_EQ(e.status, 429);
    EXPECT_EQ(e.code, "concurrency_limit_exceeded");
    EXPECT_EQ(e.retry_after, 1s);
    std::get<admitted_request>(one).release();
    auto three = g.chat(bearer("bot"));
    EXPECT_EQ(status_of(three), 200);
    EXPECT_EQ(status_of(g.chat(bearer("bot"))), 429);
    std::get<admitted_request>(one).release();
    EXPECT_EQ(status_of(g.chat(bearer("bot"))), 429) << "released twice";
}

TEST(concurrent, counts_no_reply_that_is_gone) {
    gate g({with_seats(1)});
    EXPECT_EQ(g.let_in(bearer("bot"), 10), 10);
}

TEST(concurrent, counts_a_reply_once_that_was_moved) {
    gate g({with_seats(2)});
    auto one = std::get<admitted_request>(g.chat(bearer("bot")));
    auto moved = std::move(one);
    EXPECT_EQ(g.let_in(bearer("bot"), 1), 1);
    moved = std::get<admitted_request>(g.chat(bearer("bot")));
    EXPECT_EQ(g.let_in(bearer("bot"), 1), 1);
}

TEST(concurrent, counts_replies_alone) {
    gate g({with_seats(1)});
    const auto models = g.ask(endpoint::list_models, bearer("bot"));
    const auto session = g.ask(endpoint::voice, bearer("bot"));
    const auto reply = g.chat(bearer("bot"));
    for (const auto* const a : {&models, &session, &reply}) EXPECT_EQ(status_of(*a), 200);
}

TEST(concurrent, takes_no_request_from_the_rate_if_it_refuses) {
    auto key = with_seats(1);
    key.requests_per_minute = 2;
    gate g({key});
    {
        const auto one = g.chat(bearer("bot"));
        EXPECT_EQ(g.let_in(bearer("bot"), 10), 0);
    }
    EXPECT_EQ(g.let_in(bearer("bot"), 10), 1);
}

TEST(authorize_reply, counts_the_replies_of_a_session) {
    auto key = with_seats(1);
    key.requests_per_minute = 3;
    gate g({key});
    const auto session = std::get<admitted_request>(g.ask(endpoint::voice, bearer("bot")));
    {
        const auto reply = g.access.authorize_reply(session, at(0s));
        EXPECT_EQ(status_of(reply), 200);
        EXPECT_EQ(error_of(g.access.authorize_reply(session, at(0s))).code,
                  "concurrency_limit_exceeded");
    }
    EXPECT_EQ(status_of(g.access.authorize_reply(session, at(0s))), 200);
    EXPECT_EQ(status_of(g.access.authorize_reply(session, at(0s))), 200);
    EXPECT_EQ(error_of(g.access.authorize_reply(session, at(0s))).code, "rate_limit_exceeded");
}

TEST(authorize_reply, gives_a_session_that_has_a_permit_another_one_in_its_place) {
    gate g({with_seats(1)});
    const auto session = std::get<admitted_request>(g.ask(endpoint::voice, bearer("bot")));
    std::optional<admitted_request> seat =
        std::get<admitted_request>(g.access.authorize_reply(session, at(0s)));
    auto next = g.access.authorize_reply(session, at(0s), seat);
    ASSERT_EQ(status_of(next), 200);
    seat = std::get<admitted_request>(std::move(next));
    EXPECT_EQ(g.let_in(bearer("bot"), 1), 0) << "it counts once";
    seat.reset();
    EXPECT_EQ(g.let_in(bearer("bot"), 1), 1);
}

TEST(authorize_reply, leaves_the_permit_of_the_reply_before_if_it_refuses) {
    auto key = with_seats(2);
    key.requests_per_minute = 1;
    gate g({key});
    const auto session = std::get<admitted_request>(g.ask(endpoint::voice, bearer("bot")));
    const std::optional<admitted_request> seat =
        std::get<admitted_request>(g.access.authorize_reply(session, at(0s)));
    EXPECT_EQ(status_of(g.access.authorize_reply(session, at(0s), seat)), 429);
    key.requests_per_minute = 0;
    key.concurrent = 1;
    g.access.replace_keys(api_keys({key}));
    EXPECT_EQ(error_of(g.chat(bearer("bot"))).code, "concurrency_limit_exceeded");
}

TEST(authorize_reply, counts_no_permit_that_is_of_another_key) {
    gate g({with_seats(1), key_named("other")});
    const auto session = std::get<admitted_request>(g.ask(endpoint::voice, bearer("bot")));
    const auto running = g.chat(bearer("bot"));
    const std::optional<admitted_request> others =
        std::get<admitted_request>(g.chat(bearer("other")));
    EXPECT_EQ(error_of(g.access.authorize_reply(session, at(0s), others)).code,
              "concurrency_limit_exceeded");
    const std::optional<admitted_request> released =
        std::get<admitted_request>(g.ask(endpoint::voice, bearer("bot")));
    EXPECT_EQ(status_of(g.access.authorize_reply(session, at(0s), released)), 429);
}

// --- failed attempts

void fail(gate& g, int times, std::string_view remote = home) {
    for (int i = 0; i < times; ++i) g.chat("Bearer wrong", at(0s), remote);
}

TEST(failed_attempts, are_refused_unheard_when_they_are_too_many) {
    gate g({key_named("bot")});
    fail(g, auth_failure_limit::per_minute);
    const auto e = error_of(g.chat("Bearer wrong", at(0s), home));
    EXPECT_EQ(e.status, 429);
    EXPECT_EQ(e.code, "too_many_failures");
    EXPECT_EQ(e.retry_after, 6s);
    EXPECT_EQ(status_of(g.chat(bearer("bot"), at(0s), home)), 429) << "a key that was guessed";
    EXPECT_EQ(status_of(g.chat(bearer("bot"), at(6s), home)), 200);
}

TEST(failed_attempts, count_for_each_address_apart) {
    gate g({key_named("bot")});
    fail(g, 100);
    EXPECT_EQ(status_of(g.chat(bearer("bot"), at(0s), elsewhere)), 200);
    EXPECT_EQ(status_of(g.chat("Bearer wrong", at(0s), elsewhere)), 401);
}

TEST(failed_attempts, count_for_a_whole_network_of_ipv6) {
    gate g({key_named("bot")});
    fail(g, 100, "2001:db8::1");
    EXPECT_EQ(status_of(g.chat("Bearer wrong", at(0s), "2001:db8::2")), 429);
}

TEST(failed_attempts, do_not_lock_out_keys_that_were_used_from_there) {
    gate g({key_named("bot"), key_named("other")});
    g.chat(bearer("bot"), at(0s), home);
    fail(g, 100);
    EXPECT_EQ(status_of(g.chat(bearer("bot"), at(0s), home)), 200);
    EXPECT_EQ(status_of(g.chat(bearer("other"), at(0s), home)), 429) << "never used from there";
}

TEST(failed_attempts, are_such_with_a_key_only) {
    gate g({key_named("bot")});
    for (int i = 0; i < 100; ++i) EXPECT_EQ(status_of(g.chat("", at(0s), home)), 401);
    EXPECT_EQ(status_of(g.chat(bearer("bot"), at(0s), home)), 200);
}

TEST(failed_attempts, are_malformed_ones_too) {
    gate g({key_named("bot")});
    for (int i = 0; i < 100; ++i) g.chat("Basic xyz", at(0s), home);
    EXPECT_EQ(status_of(g.chat("Bearer wrong", at(0s), home)), 429);
}

TEST(failed_attempts, are_not_what_a_right_key_may_not_do) {
    gate g({limited(1)});
    for (int i = 0; i < 100; ++i) g.ask(endpoint::metrics, bearer("bot"), at(0s), home);
    for (int i = 0; i < 100; ++i) g.chat(bearer("bot"), at(0s), home);
    EXPECT_EQ(status_of(g.chat("Bearer wrong", at(0s), home)), 401);
}

TEST(failed_attempts, remember_a_bounded_number_of_places_of_a_key) {
    gate g({key_named("bot")});
    g.chat(bearer("bot"), at(0s), home);
    for (int i = 0; i < 16; ++i) g.chat(bearer("bot"), at(0s), "10.1.0." + std::to_string(i));
    fail(g, 100);
    EXPECT_EQ(status_of(g.chat(bearer("bot"), at(0s), home)), 429)
        << "its earlier request is forgotten";
}

TEST(limits, are_none_if_there_are_no_keys) {
    gate g({});
    std::vector<admission> running;
    for (int i = 0; i < 1000; ++i) running.push_back(g.chat("Bearer wrong"));
    for (const auto& a : running) EXPECT_EQ(status_of(a), 200);
    g.access.charge_tokens(std::get<admitted_request>(running.front()), at(0s), 1'000'000'000);
    EXPECT_EQ(status_of(g.chat("")), 200);
}

}  // namespace
