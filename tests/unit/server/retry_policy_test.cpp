#include "server/retry_policy.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::errc;
using tandem::time_point;
using tandem::detail::classify_failure;
using tandem::detail::failure_kind;
using tandem::detail::retry_policy;

constexpr time_point first_time{1h};

TEST(failure_kind, tells_servers_that_are_away_from_requests_that_broke) {
    for (const auto code : {errc::connect_failed, errc::model_loading, errc::no_model})
        EXPECT_EQ(classify_failure(code, false), failure_kind::away) << tandem::error_name(code);
    for (const auto code : {errc::stream_incomplete, errc::between_tokens_timeout,
                            errc::first_token_timeout, errc::server_error})
        EXPECT_EQ(classify_failure(code, false), failure_kind::broken) << tandem::error_name(code);
    for (const auto code : {errc::unauthorized, errc::bad_request, errc::prompt_too_long,
                            errc::queue_full, errc::continue_timeout, errc::client_destroyed})
        EXPECT_EQ(classify_failure(code, true), failure_kind::final) << tandem::error_name(code);
}

TEST(failure_kind, is_away_if_a_proxy_cannot_reach_the_server) {
    using tandem::failure;
    for (const int status : {502, 503, 504})
        EXPECT_EQ(classify_failure(failure{errc::server_error, {.http_status = status}}, true),
                  failure_kind::away);
    EXPECT_EQ(classify_failure(failure{errc::server_error, {.http_status = 500}}, true),
              failure_kind::broken);
}

TEST(failure_kind, takes_garbage_for_a_broken_stream_only_after_text) {
    EXPECT_EQ(classify_failure(errc::bad_response, false), failure_kind::final);
    EXPECT_EQ(classify_failure(errc::bad_response, true), failure_kind::broken);
}

TEST(retry_policy, gives_up_after_so_many_broken_requests_in_a_row) {
    retry_policy g({.retries = 2}, 1);
    EXPECT_TRUE(g.record_failure(first_time, failure_kind::broken));
    EXPECT_TRUE(g.record_failure(first_time, failure_kind::broken));
    EXPECT_FALSE(g.record_failure(first_time, failure_kind::broken));
}

TEST(retry_policy, counts_again_once_text_came) {
    retry_policy g({.retries = 1}, 1);
    EXPECT_TRUE(g.record_failure(first_time, failure_kind::broken));
    g.on_progress();
    EXPECT_FALSE(g.retrying_since().has_value());
    EXPECT_TRUE(g.record_failure(first_time, failure_kind::broken));
    EXPECT_FALSE(g.record_failure(first_time, failure_kind::broken));
}

TEST(retry_policy, does_not_count_looks_for_a_server_that_is_away) {
    retry_policy g({.retries = 1}, 1);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(g.record_failure(first_time, failure_kind::away));
}

TEST(retry_policy, never_continues_with_no_retries_or_after_a_final_failure) {
    retry_policy none({.retries = 0}, 1);
    EXPECT_FALSE(none.record_failure(first_time, failure_kind::away));
    retry_policy some({.retries = 3}, 1);
    EXPECT_FALSE(some.record_failure(first_time, failure_kind::final));
}

TEST(retry_policy, tries_at_once_and_then_after_pauses_that_grow_to_400_ms) {
    retry_policy g({.retries = 1}, 7);
    std::vector<duration> pauses;
    for (int i = 0; i < 8; ++i) {
        g.record_failure(first_time, failure_kind::away);
        pauses.push_back(g.next_attempt_at() - first_time);
    }
    const std::vector<duration> most{0ms, 50ms, 100ms, 200ms, 400ms, 400ms, 400ms, 400ms};
    for (std::size_t i = 0; i < most.size(); ++i) {
        EXPECT_LE(pauses[i], most[i]);
        EXPECT_GE(pauses[i], most[i] / 2);
    }
}

TEST(retry_policy, spreads_the_tries_of_replies_that_failed_together) {
    std::set<duration> pauses;
    for (std::uint64_t id = 1; id <= 100; ++id) {
        retry_policy g({.retries = 1}, id);
        for (int i = 0; i < 5; ++i) g.record_failure(first_time, failure_kind::away);
        pauses.insert(g.next_attempt_at() - first_time);
    }
    EXPECT_GT(pauses.size(), 90u);
}

TEST(retry_policy, counts_the_patience_from_when_the_listener_waits) {
    retry_policy g({.retries = 1, .resume_within = 3s}, 1);
    g.record_failure(first_time, failure_kind::away);
    g.record_failure(first_time + 1s, failure_kind::away);
    EXPECT_EQ(g.give_up_deadline(first_time - 1h), first_time + 3s);
    EXPECT_EQ(g.give_up_deadline(first_time + 2s), first_time + 5s);
}

}  // namespace
