#include "service/server_health.hpp"

#include "support/at.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

namespace {

using namespace std::chrono_literals;
using tandem::errc;
using tandem::services::server_health;
using tandem::test::at;
using state = tandem::server_status::health;

// A server that was checked at startup and answered with `answer`.
server_health asked(tandem::error_code answer = {}) {
    server_health h(5s);
    h.on_check_started();
    h.record_check_result(at(0s), answer, "words");
    return h;
}

TEST(server_health, is_not_known_before_it_was_asked_and_may_serve) {
    const server_health h(5s);
    EXPECT_EQ(h.state(), state::unknown);
    EXPECT_TRUE(h.may_serve());
    EXPECT_LE(*h.next_check(), at(0s)) << "it is asked at once";
}

TEST(server_health, is_asked_again_after_the_interval_while_it_is_up) {
    const auto h = asked();
    EXPECT_EQ(h.state(), state::up);
    EXPECT_EQ(h.next_check(), at(5s));
}

TEST(server_health, is_not_asked_while_an_answer_is_waited_for) {
    auto h = asked();
    h.on_check_started();
    EXPECT_EQ(h.next_check(), std::nullopt);
}

TEST(server_health, tells_a_server_that_loads_from_one_that_is_down) {
    EXPECT_EQ(asked(errc::model_loading).state(), state::loading);
    EXPECT_EQ(asked(errc::connect_failed).state(), state::down);
    EXPECT_FALSE(asked(errc::model_loading).may_serve());
    EXPECT_EQ(asked(errc::connect_failed).fault(), "words");
}

TEST(server_health, is_asked_less_and_less_often_while_it_is_down) {
    auto h = asked(errc::connect_failed);
    auto last = at(0s);
    for (const auto pause : {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5000ms, 5000ms}) {
        EXPECT_EQ(h.next_check(), last + pause);
        last = *h.next_check();
        h.on_check_started();
        EXPECT_FALSE(h.record_check_result(last, errc::connect_failed, "words")) << "nothing new";
    }
    h.on_check_started();
    EXPECT_TRUE(h.record_check_result(last, {}, {}));
    EXPECT_EQ(h.fault(), "");
}

TEST(server_health, is_never_asked_more_often_than_the_interval_says_if_that_is_short) {
    server_health h(100ms);
    h.on_check_started();
    h.record_check_result(at(0s), errc::connect_failed, {});
    EXPECT_EQ(h.next_check(), at(100ms));
}

TEST(server_health, is_asked_often_while_somebody_waits_however_long_it_has_been_down) {
    auto h = asked(errc::connect_failed);
    h.request_check_soon();
    EXPECT_EQ(h.next_check(), at(100ms)) << "the next check is already sooner";
    auto last = at(0s);
    for (int i = 0; i < 6; ++i) {
        last = *h.next_check();
        h.on_check_started();
        h.request_check_soon();
        EXPECT_EQ(h.next_check(), std::nullopt) << "the answer has not arrived";
        h.record_check_result(last, errc::connect_failed, "words");
        h.request_check_soon();
        EXPECT_LE(*h.next_check() - last, 400ms) << i;
    }
    EXPECT_EQ(h.next_check(), last + 400ms);
}

TEST(server_health, is_asked_no_sooner_while_it_is_up_and_wanted) {
    auto h = asked();
    h.request_check_soon();
    EXPECT_EQ(h.next_check(), at(5s));
}

TEST(server_health, is_asked_if_a_turn_begins_unless_it_has_just_answered) {
    auto h = asked();
    EXPECT_FALSE(h.check_if_stale(at(400ms)));
    EXPECT_TRUE(h.check_if_stale(at(600ms)));
    EXPECT_EQ(h.next_check(), at(600ms));
    h.on_check_started();
    EXPECT_FALSE(h.check_if_stale(at(700ms))) << "the answer is still pending";
}

TEST(server_health, knows_since_when_it_was_tried) {
    server_health s(5s);
    EXPECT_FALSE(s.was_tried_since(at(0s)));
    s.record_request_failure(at(1s), errc::connect_failed, "");
    EXPECT_TRUE(s.was_tried_since(at(1s)));
    EXPECT_FALSE(s.was_tried_since(at(2s)));
    s.record_check_result(at(3s), errc::connect_failed, "");
    EXPECT_TRUE(s.was_tried_since(at(2s)));
}

TEST(server_health, hangs_from_a_time_out_to_the_next_answer) {
    auto h = asked(errc::request_timeout);
    EXPECT_TRUE(h.is_hanging());
    EXPECT_FALSE(h.may_serve());
    h.record_request_failure(at(1s), errc::connect_failed, {});
    EXPECT_FALSE(h.is_hanging());
}

TEST(server_health, takes_a_request_that_met_nobody_at_its_word) {
    auto h = asked();
    EXPECT_TRUE(h.record_request_failure(at(1s), errc::connect_failed, "refused"));
    EXPECT_EQ(h.state(), state::down);
    EXPECT_EQ(h.fault(), "refused");
    EXPECT_EQ(h.next_check(), at(1s) + 100ms);
}

TEST(server_health, asks_at_once_if_a_reply_broke_off) {
    auto h = asked();
    EXPECT_FALSE(h.record_request_failure(at(1s), errc::stream_incomplete, "closed"));
    EXPECT_EQ(h.state(), state::up);
    EXPECT_EQ(h.next_check(), at(1s));
}

TEST(server_health, minds_no_errors_that_are_the_requests_own) {
    auto h = asked();
    for (const auto code : {errc::bad_request, errc::prompt_too_long, errc::continue_timeout}) {
        EXPECT_FALSE(h.record_request_failure(at(1s), code, {}));
        EXPECT_EQ(h.state(), state::up);
        EXPECT_EQ(h.next_check(), at(5s));
    }
}

TEST(server_health, keeps_to_its_pauses_while_requests_fail_too) {
    auto h = asked(errc::connect_failed);
    h.record_request_failure(at(50ms), errc::connect_failed, "again");
    EXPECT_EQ(h.next_check(), at(100ms));
}

TEST(server_health, takes_the_words_of_a_proxy_for_a_server_that_is_down) {
    EXPECT_EQ(asked(errc::server_error).state(), state::down);
    EXPECT_EQ(asked(errc::bad_response).state(), state::down);
}

TEST(server_health, counts_a_server_without_the_endpoint_as_up) {
    EXPECT_EQ(asked(errc::not_supported).state(), state::up);
}

TEST(server_health, takes_what_knows_neither_health_nor_a_request_for_no_llama_server) {
    auto h = asked(errc::not_supported);
    EXPECT_TRUE(h.record_request_failure(at(1s), errc::not_supported, "no /completion"));
    EXPECT_EQ(h.state(), state::down);
    EXPECT_TRUE(h.is_hanging()) << "it may serve if no other server can";
    h.on_check_started();
    EXPECT_FALSE(h.record_check_result(at(2s), errc::not_supported, "no /health"));
    EXPECT_EQ(h.state(), state::down);
    EXPECT_EQ(h.fault(), "no /completion");
    EXPECT_TRUE(h.next_check());
    h.on_check_started();
    EXPECT_TRUE(h.record_check_result(at(3s), {}, {})) << "a llama-server now runs there";
    EXPECT_EQ(h.state(), state::up);
    EXPECT_FALSE(h.is_hanging());
}

TEST(server_health, minds_no_request_that_a_healthy_server_does_not_know) {
    auto h = asked();
    EXPECT_FALSE(h.record_request_failure(at(1s), errc::not_supported, {}));
    EXPECT_EQ(h.state(), state::up);
}

TEST(server_health, of_one_without_the_endpoint_is_no_proof_of_its_key_either) {
    auto h = asked(errc::not_supported);
    h.on_check_started();
    h.record_request_failure(at(1s), errc::unauthorized, "rejected the API key");
    EXPECT_FALSE(h.record_check_result(at(1s), errc::not_supported, {})) << "it was asked before";
    EXPECT_EQ(h.state(), state::down);
    h.on_check_started();
    EXPECT_TRUE(h.record_check_result(at(2s), {}, {}));
    EXPECT_EQ(h.state(), state::up);
}

TEST(server_health, keeps_the_words_of_what_is_no_llama_server) {
    auto h = asked(errc::not_supported);
    h.record_request_failure(at(1s), errc::not_supported, "no /completion");
    EXPECT_TRUE(h.needs_authenticated_check()) << "a proxy may hide only /health";
    EXPECT_FALSE(h.record_request_failure(at(2s), errc::bad_request, "too long"));
    EXPECT_EQ(h.fault(), "no /completion");
}

TEST(server_health, hangs_if_no_connection_comes_up_in_time) {
    EXPECT_TRUE(asked(errc::connect_timeout).is_hanging()) << "a frozen server is silent in TLS";
}

TEST(server_health, is_down_if_the_first_check_shows_that_the_key_is_refused) {
    server_health h(5s);
    EXPECT_TRUE(h.needs_authenticated_check());
    h.on_check_started();
    EXPECT_TRUE(h.record_check_result(at(0s), errc::unauthorized, "rejected the API key"));
    EXPECT_EQ(h.state(), state::down);
    EXPECT_TRUE(h.rejects_key());
    EXPECT_TRUE(h.needs_authenticated_check());
}

TEST(server_health, is_checked_with_the_key_until_such_a_check_has_passed) {
    for (const auto code : {errc::model_loading, errc::connect_failed}) {
        auto h = asked(code);
        EXPECT_TRUE(h.needs_authenticated_check()) << "the key was not checked";
        h.on_check_started();
        h.record_check_result(at(1s), errc::unauthorized, "rejected the API key");
        EXPECT_EQ(h.state(), state::down);
    }
    EXPECT_FALSE(asked().needs_authenticated_check());
    EXPECT_FALSE(asked(errc::not_supported).needs_authenticated_check());
}

TEST(server_health, is_not_proven_by_health_if_the_key_is_refused) {
    auto h = asked();
    EXPECT_FALSE(h.needs_authenticated_check());
    h.on_check_started();
    EXPECT_TRUE(h.record_request_failure(at(1s), errc::unauthorized, "rejected the API key"));
    EXPECT_TRUE(h.needs_authenticated_check());
    EXPECT_FALSE(h.record_check_result(at(1s), {}, {})) << "it was asked for its health before";
    EXPECT_TRUE(h.needs_authenticated_check());
    h.on_check_started();
    EXPECT_FALSE(h.record_check_result(at(2s), errc::unauthorized, "rejected the API key"));
    EXPECT_TRUE(h.needs_authenticated_check());
    h.on_check_started();
    EXPECT_TRUE(h.record_check_result(at(3s), {}, {}));
    EXPECT_FALSE(h.needs_authenticated_check());
}

}  // namespace
