#include "transport/body_buffer.hpp"

#include <gtest/gtest.h>

namespace tandem::transport {
namespace {

TEST(BodyBuffer, gives_all_that_was_appended_once) {
    body_buffer b(10);
    EXPECT_TRUE(b.append("ab"));
    EXPECT_TRUE(b.append("cd"));
    EXPECT_EQ(b.take(), "abcd");
    EXPECT_TRUE(b.empty());
}

TEST(BodyBuffer, keeps_what_was_taken_while_it_fills_again) {
    body_buffer b(10);
    b.append("first");
    const auto view = b.take();
    b.append("second");
    EXPECT_EQ(view, "first");
    EXPECT_EQ(b.take(), "second");
}

TEST(BodyBuffer, refuses_what_passes_the_bound_as_a_whole) {
    body_buffer b(4);
    EXPECT_TRUE(b.append("abc"));
    EXPECT_FALSE(b.append("de"));
    EXPECT_TRUE(b.append("d"));
    EXPECT_EQ(b.take(), "abcd");
    EXPECT_TRUE(b.append("efgh"));
}

}  // namespace
}  // namespace tandem::transport
