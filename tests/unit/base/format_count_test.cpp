#include "base/format_count.hpp"

#include <gtest/gtest.h>

namespace {

using tandem::format_count;

TEST(format_count, has_the_singular_for_one_only) {
    EXPECT_EQ(format_count(1, "slot"), "1 slot");
    EXPECT_EQ(format_count(0, "slot"), "0 slots");
    EXPECT_EQ(format_count(2, "voice session"), "2 voice sessions");
}

TEST(format_count, knows_the_plural_of_words_in_y) {
    EXPECT_EQ(format_count(1, "retry"), "1 retry");
    EXPECT_EQ(format_count(3, "retry"), "3 retries");
    EXPECT_EQ(format_count(3, "key"), "3 keys");
}

}  // namespace
