#include "gateway/answers/stream_silence.hpp"

#include "support/at.hpp"

#include <gtest/gtest.h>

namespace tandem::gateway {
namespace {

using namespace std::chrono_literals;
using test::at;

TEST(stream_silence, is_too_long_when_nothing_was_sent_for_ten_seconds) {
    stream_silence silence(at(0s));
    EXPECT_FALSE(silence.is_too_long(at(9s)));
    EXPECT_TRUE(silence.is_too_long(at(10s)));
}

TEST(stream_silence, begins_anew_with_whatever_is_sent) {
    stream_silence silence(at(0s));
    silence.sent(at(9s));
    EXPECT_FALSE(silence.is_too_long(at(18s)));
    EXPECT_TRUE(silence.is_too_long(at(19s)));
}

}  // namespace
}  // namespace tandem::gateway
