#include "reply/machine/generation_options_check.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using tandem::errc;
using tandem::detail::check_generation_options;
using testing::HasSubstr;

TEST(refusal, meets_no_options_that_can_be_sent) {
    EXPECT_FALSE(check_generation_options({}));
}

TEST(refusal, names_every_option_that_cannot_work) {
    const auto why = check_generation_options({.temperature = -1, .top_p = 7});
    ASSERT_TRUE(why);
    EXPECT_EQ(why->ec, errc::invalid_config);
    EXPECT_THAT(why->diag.client_message, HasSubstr("temperature"));
    EXPECT_THAT(why->diag.client_message, HasSubstr("top_p"));
}

}  // namespace
