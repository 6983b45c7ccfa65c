#include "server/going_on.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace std::chrono_literals;
using tandem::duration;
using tandem::errc;
using tandem::time_point;
using tandem::detail::failure_kind;
using tandem::detail::going_on;
using tandem::detail::kind_of;

constexpr time_point first_time{1h};

TEST(failure_kind, tells_servers_that_are_away_from_requests_that_broke) {
    for (const auto code : {errc::connect_failed, errc::model_loading, errc::no_model})
        EXPECT_EQ(kind_of(code, false), failure_kind::away) << tandem::error_name(code);
    for (const auto code : {errc::stream_incomplete, errc::between_tokens_timeout,
                            errc::first_token_timeout, errc::server_error})
        EXPECT_EQ(kind_of(code, false), failure_kind::broken) << tandem::error_name(code);
    for (const auto code : {errc::unauthorized, errc::bad_request, errc::prompt_too_long,
                            errc::queue_full, errc::continue_timeout, errc::client_destroyed})
        EXPECT_EQ(kind_of(code, true), failure_kind::final) << tandem::error_name(code);
}

TEST(failure_kind, takes_garbage_for_a_broken_stream_only_behind_text) {
    EXPECT_EQ(kind_of(errc::bad_response, false), failure_kind::final);
    EXPECT_EQ(kind_of(errc::bad_response, true), failure_kind::broken);
}

TEST(going_on, gives_up_after_so_many_broken_requests_in_a_row) {
    going_on g({.retries = 2}, 1);
    EXPECT_TRUE(g.failed(first_time, failure_kind::broken));
    EXPECT_TRUE(g.failed(first_time, failure_kind::broken));
    EXPECT_FALSE(g.failed(first_time, failure_kind::broken));
}

TEST(going_on, counts_anew_once_text_came) {
    going_on g({.retries = 1}, 1);
    EXPECT_TRUE(g.failed(first_time, failure_kind::broken));
    g.progressed();
    EXPECT_FALSE(g.since().has_value());
    EXPECT_TRUE(g.failed(first_time, failure_kind::broken));
    EXPECT_FALSE(g.failed(first_time, failure_kind::broken));
}

TEST(going_on, does_not_count_looks_for_a_server_that_is_away) {
    going_on g({.retries = 1}, 1);
    for (int i = 0; i < 100; ++i) EXPECT_TRUE(g.failed(first_time, failure_kind::away));
}

TEST(going_on, never_goes_on_with_no_retries_or_after_a_final_failure) {
    going_on none({.retries = 0}, 1);
    EXPECT_FALSE(none.failed(first_time, failure_kind::away));
    going_on some({.retries = 3}, 1);
    EXPECT_FALSE(some.failed(first_time, failure_kind::final));
}

TEST(going_on, tries_at_once_and_then_after_pauses_that_grow_to_400_ms) {
    going_on g({.retries = 1}, 7);
    std::vector<duration> pauses;
    for (int i = 0; i < 8; ++i) {
        g.failed(first_time, failure_kind::away);
        pauses.push_back(g.next_try() - first_time);
    }
    const std::vector<duration> most{0ms, 50ms, 100ms, 200ms, 400ms, 400ms, 400ms, 400ms};
    for (std::size_t i = 0; i < most.size(); ++i) {
        EXPECT_LE(pauses[i], most[i]);
        EXPECT_GE(pauses[i], most[i] / 2);
    }
}

TEST(going_on, spreads_the_tries_of_replies_that_failed_together) {
    std::set<duration> pauses;
    for (std::uint64_t id = 1; id <= 100; ++id) {
        going_on g({.retries = 1}, id);
        for (int i = 0; i < 5; ++i) g.failed(first_time, failure_kind::away);
        pauses.insert(g.next_try() - first_time);
    }
    EXPECT_GT(pauses.size(), 90u);
}

TEST(going_on, counts_the_patience_from_when_the_listener_waits) {
    going_on g({.retries = 1, .resume_within = 3s}, 1);
    g.failed(first_time, failure_kind::away);
    g.failed(first_time + 1s, failure_kind::away);
    EXPECT_EQ(g.given_up_at(first_time - 1h), first_time + 3s);
    EXPECT_EQ(g.given_up_at(first_time + 2s), first_time + 5s);
}

}  // namespace
