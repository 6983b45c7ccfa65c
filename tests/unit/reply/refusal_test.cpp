#include "reply/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using tandem::errc;
using tandem::detail::refusal;
using testing::HasSubstr;

TEST(refusal, meets_no_prompt_that_can_be_sent) {
    EXPECT_FALSE(refusal("Hello", {}));
}

TEST(refusal, names_every_option_that_cannot_work) {
    const auto why = refusal("Hello", {.temperature = -1, .top_p = 7});
    ASSERT_TRUE(why);
    EXPECT_EQ(why->ec, errc::invalid_config);
    EXPECT_THAT(why->diag.client_message, HasSubstr("temperature"));
    EXPECT_THAT(why->diag.client_message, HasSubstr("top_p"));
}

TEST(refusal, meets_a_prompt_that_is_not_utf8) {
    const auto why = refusal("Hello\xFF", {});
    ASSERT_TRUE(why);
    EXPECT_EQ(why->ec, errc::invalid_prompt);
}

}  // namespace
