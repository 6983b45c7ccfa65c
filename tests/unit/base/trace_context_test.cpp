#include "base/trace_context.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tandem {
namespace {

const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string parent = "00f067aa0ba902b7";
const std::string good = "00-" + trace + "-" + parent + "-01";

TEST(traceparent, has_the_id_of_its_trace) {
    EXPECT_TRUE(is_valid_traceparent(good));
    EXPECT_EQ(parse_trace_id(good), trace);
}

TEST(traceparent, names_the_span_of_the_caller_and_whether_it_is_recorded) {
    EXPECT_EQ(parse_parent_id(good), parent);
    EXPECT_EQ(parse_parent_id("00"), "");
    EXPECT_FALSE(is_sampled("00-" + trace + "-" + parent + "-00"));
    EXPECT_TRUE(is_sampled("00-" + trace + "-" + parent + "-03"));
    EXPECT_FALSE(is_sampled("01"));
}

TEST(traceparent, of_a_later_version_may_continue) {
    EXPECT_TRUE(is_valid_traceparent("cc-" + trace + "-" + parent + "-01"));
    EXPECT_TRUE(is_valid_traceparent("cc-" + trace + "-" + parent + "-01-what.the-future.brings"));
    EXPECT_FALSE(is_valid_traceparent("cc-" + trace + "-" + parent + "-01x"));
    EXPECT_FALSE(is_valid_traceparent(good + "-01")) << "version 00 allows no more fields";
}

struct no_traceparent : testing::TestWithParam<std::string> {};

TEST_P(no_traceparent, is_none) {
    EXPECT_FALSE(is_valid_traceparent(GetParam()));
    EXPECT_EQ(parse_trace_id(GetParam()), "");
}

INSTANTIATE_TEST_SUITE_P(
    malformed, no_traceparent,
    testing::Values("", "00", trace, good.substr(0, good.size() - 1), good + " ",
                    "ff-" + trace + "-" + parent + "-01", "0x-" + trace + "-" + parent + "-01",
                    "00-" + std::string(32, '0') + "-" + parent + "-01",
                    "00-" + trace + "-" + std::string(16, '0') + "-01",
                    "00-" + trace + "-" + parent + "-0g", "00_" + trace + "-" + parent + "-01",
                    "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + parent + "-01",
                    "cc-" + trace + "-" + parent + "-01-\r\nX-Evil: 1",
                    "cc-" + trace + "-" + parent + "-01-" + std::string(500, 'a')));

}  // namespace
}  // namespace tandem
