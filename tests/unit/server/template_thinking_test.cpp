#include "server/template_thinking.hpp"

#include <gtest/gtest.h>

namespace tandem::server {
namespace {

template_thinking thinking_of(const rendered_thinking& prompts, std::string_view text = {}) {
    return detect_thinking_support(prompts, text, default_reasoning_tags());
}

TEST(template_thinking, is_none_if_nothing_changes_the_prompt_and_no_mark_is_known) {
    EXPECT_EQ(thinking_of({"P", "P", "P", "P"}, "{{ messages }}"), template_thinking());
    EXPECT_EQ(thinking_of({"", "", "", ""}), template_thinking());
}

TEST(template_thinking, has_the_switch_and_the_effort_that_change_the_prompt) {
    const template_thinking with_switch{.can_think = true, .has_switch = true};
    EXPECT_EQ(thinking_of({"P", "P<think>\n\n</think>\n\n", "P", "P"}), with_switch);
    const template_thinking with_effort{.can_think = true, .has_effort = true};
    EXPECT_EQ(thinking_of({"P", "P", "low P", "high P"}), with_effort);
    EXPECT_EQ(thinking_of({"P", "", "P", ""}), template_thinking()) << "the template rejects it";
}

TEST(template_thinking, cannot_be_influenced_if_only_its_marks_are_seen) {
    const template_thinking always{.can_think = true};
    EXPECT_EQ(thinking_of({"P<think>\n", "P<think>\n", "P<think>\n", "P<think>\n"}), always);
    EXPECT_EQ(thinking_of({"P", "P", "P", "P"}, "content.split('</think>')"), always);
}

TEST(template_thinking, shows_the_white_space_after_the_closing_mark) {
    EXPECT_EQ(find_closing_text("P<think>\n\n</think>\n\n", "</think>"), "</think>\n\n");
    EXPECT_EQ(find_closing_text("P<think></think>", "</think>"), "</think>");
    EXPECT_EQ(find_closing_text("end with </think>. P", "</think>"), "</think>");
    EXPECT_EQ(find_closing_text("", "</think>"), "</think>");
}

}  // namespace
}  // namespace tandem::server
