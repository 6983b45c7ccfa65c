#include "gateway/access/auth_failure_limit.hpp"

#include "support/at.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using tandem::time_point;
using tandem::gateway::auth_failure_limit;
using tandem::test::at;

void fail(auth_failure_limit& limit, const std::string& client, int times,
          time_point now = at(0s)) {
    for (int i = 0; i < times; ++i) limit.record_failure(now, client);
}

TEST(auth_failure_limit, lets_a_client_fail_some_times) {
    auth_failure_limit limit;
    fail(limit, "a", auth_failure_limit::per_minute - 1);
    EXPECT_FALSE(limit.time_until_allowed(at(0s), "a"));
    fail(limit, "a", 1);
    EXPECT_EQ(limit.time_until_allowed(at(0s), "a"), 6s);
    EXPECT_FALSE(limit.time_until_allowed(at(6s), "a"));
}

TEST(auth_failure_limit, counts_each_client_apart) {
    auth_failure_limit limit;
    fail(limit, "a", 100);
    EXPECT_FALSE(limit.time_until_allowed(at(0s), "b"));
}

TEST(auth_failure_limit, forgets_who_failed_longest_ago_when_there_are_too_many) {
    auth_failure_limit limit;
    fail(limit, "early", auth_failure_limit::per_minute);
    fail(limit, "again", auth_failure_limit::per_minute);
    for (std::size_t i = 0; i < auth_failure_limit::max_clients - 2; ++i)
        fail(limit, std::to_string(i), 1);
    fail(limit, "again", 1);
    fail(limit, "one more", 1);
    EXPECT_EQ(limit.size(), auth_failure_limit::max_clients);
    EXPECT_FALSE(limit.time_until_allowed(at(0s), "early"));
    EXPECT_TRUE(limit.time_until_allowed(at(0s), "again"));
}

TEST(auth_failure_limit, has_a_bound_whoever_comes) {
    auth_failure_limit limit;
    for (std::size_t i = 0; i < 3 * auth_failure_limit::max_clients; ++i)
        fail(limit, std::to_string(i), 1);
    EXPECT_EQ(limit.size(), auth_failure_limit::max_clients);
}

}  // namespace
