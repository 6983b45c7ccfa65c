#include "tandem/version.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

TEST(version, is_that_of_the_project) {
    EXPECT_STREQ(TANDEM_VERSION_STRING, PROJECT_VERSION);
}

TEST(version, is_the_same_as_text_and_as_numbers) {
    const auto text = std::to_string(TANDEM_VERSION_MAJOR) + "." +
                      std::to_string(TANDEM_VERSION_MINOR) + "." +
                      std::to_string(TANDEM_VERSION_PATCH);
    EXPECT_EQ(text, TANDEM_VERSION_STRING);
}

TEST(version, can_be_compared_by_the_preprocessor) {
#if TANDEM_VERSION >= 100
    SUCCEED();
#else
    FAIL() << TANDEM_VERSION;
#endif
}

}  // namespace
