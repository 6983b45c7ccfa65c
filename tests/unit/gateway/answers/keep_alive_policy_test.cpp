#include "gateway/answers/keep_alive_policy.hpp"

#include "support/at.hpp"

#include <gtest/gtest.h>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using test::at;

TEST(keep_alive_policy, is_too_long_when_nothing_was_sent_for_ten_seconds) {
    keep_alive_policy silence(at(0s));
    EXPECT_FALSE(silence.is_keep_alive_due(at(9s)));
    EXPECT_TRUE(silence.is_keep_alive_due(at(10s)));
}

TEST(keep_alive_policy, begins_again_with_whatever_is_sent) {
    keep_alive_policy silence(at(0s));
    silence.record_send(at(9s));
    EXPECT_FALSE(silence.is_keep_alive_due(at(18s)));
    EXPECT_TRUE(silence.is_keep_alive_due(at(19s)));
}

}  // namespace
}  // namespace tandem::gateway
