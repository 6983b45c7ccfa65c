#include "slots/server_build_faults.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>

namespace tandem::slots {
namespace {

using namespace std::chrono_literals;

struct named_build {
    const char* info;
    std::optional<int> number;
};

class build_name : public testing::TestWithParam<named_build> {};

TEST_P(build_name, reports_its_number) {
    EXPECT_EQ(build_number(GetParam().info), GetParam().number);
}

INSTANTIATE_TEST_SUITE_P(
    builds, build_name,
    testing::Values(named_build{"b11669-Debian", 11669}, named_build{"b4549", 4549},
                    named_build{"b6900-1a2b3c4", 6900}, named_build{"11669", 11669},
                    named_build{"", std::nullopt}, named_build{"Debian", std::nullopt},
                    named_build{"v1.2.3", std::nullopt}, named_build{"b1.2", std::nullopt},
                    named_build{"b0-unknown", std::nullopt},
                    named_build{"b99999999999", std::nullopt},
                    named_build{"release 11669", std::nullopt}));

TEST(server_builds, the_build_that_was_tried_needs_no_guard) {
    EXPECT_EQ(choose_reuse_guard("b11669-Debian"), 0s);
    EXPECT_EQ(choose_reuse_guard("b12000"), 0s);
}

TEST(server_builds, an_older_build_and_one_that_does_not_tell_keep_the_guard) {
    EXPECT_EQ(choose_reuse_guard("b11668"), 2s);
    EXPECT_EQ(choose_reuse_guard("b7000-1a2b3c4"), 2s);
    EXPECT_EQ(choose_reuse_guard("custom"), 2s);
    EXPECT_EQ(choose_reuse_guard(""), 2s);
}

TEST(server_builds, report_their_progress_if_they_are_not_too_old) {
    EXPECT_TRUE(reports_prompt_progress("b11669-Debian"));
    EXPECT_TRUE(reports_prompt_progress("b6400"));
    EXPECT_FALSE(reports_prompt_progress("b6399"));
    EXPECT_FALSE(reports_prompt_progress("custom"));
    EXPECT_FALSE(reports_prompt_progress(""));
}

TEST(server_builds, a_build_with_the_assert_is_reported_with_its_issue) {
    const auto faults = faults_of("b7000");
    ASSERT_EQ(faults.size(), 2u);
    EXPECT_NE(std::string(faults[0].issues).find("#18235"), std::string::npos);
    EXPECT_NE(std::string(faults[1].issues).find("#13262"), std::string::npos);
}

TEST(server_builds, only_what_kills_the_server_is_deadly) {
    EXPECT_TRUE(may_crash_after_cut("b7000"));
    EXPECT_FALSE(may_crash_after_cut("b4549"));
    EXPECT_FALSE(may_crash_after_cut("b11669"));
    EXPECT_FALSE(may_crash_after_cut("custom"));
}

TEST(server_builds, nothing_is_said_of_a_build_that_does_not_report_its_number) {
    EXPECT_TRUE(faults_of("custom").empty());
}

}  // namespace
}  // namespace tandem::slots
