#include "gateway/access/cross_origin.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using tandem::gateway::find_origin_fault;
using tandem::gateway::is_origin_allowed;
using testing::HasSubstr;
using testing::Optional;

TEST(allowed_origins, are_those_that_browsers_send) {
    for (const auto* origin :
         {"https://bot.example", "http://localhost:3000", "http://[::1]:8080", "app://tandem", "*"})
        EXPECT_FALSE(find_origin_fault(origin)) << origin;
}

TEST(allowed_origins, are_not_addresses_of_pages) {
    EXPECT_THAT(find_origin_fault("https://bot.example/page"),
                Optional(HasSubstr("omit it: https://bot.example")));
    for (const auto* text : {"", "bot.example", "://bot", "https://", "https://Bot.example",
                             "https://a b", "https://*.example", "null"})
        EXPECT_TRUE(find_origin_fault(text)) << text;
}

TEST(allowed_origins, allow_themselves_only) {
    EXPECT_TRUE(is_origin_allowed({"https://a", "https://b"}, "https://b"));
    EXPECT_FALSE(is_origin_allowed({"https://a"}, "https://a.example"));
    EXPECT_FALSE(is_origin_allowed({"https://a"}, "http://a"));
    EXPECT_FALSE(is_origin_allowed({}, "https://a"));
}

TEST(allowed_origins, allow_any_page_by_a_star_but_no_client_without_a_page) {
    EXPECT_TRUE(is_origin_allowed({"*"}, "https://a"));
    EXPECT_TRUE(is_origin_allowed({"*"}, "null"));
    EXPECT_FALSE(is_origin_allowed({"*"}, ""));
}

}  // namespace
