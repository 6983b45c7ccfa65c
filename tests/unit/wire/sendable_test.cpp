#include "wire/sendable.hpp"

#include "wire/bounds.hpp"

#include <gtest/gtest.h>

#include <string>

namespace {

using tandem::errc;
using tandem::wire::refuse_prompt;
using tandem::wire::refuse_text;

TEST(sendable, is_valid_text_of_any_kind) {
    EXPECT_FALSE(refuse_text("the text", ""));
    EXPECT_FALSE(refuse_prompt("caf\xC3\xA9 \xF0\x9F\x98\x80\n"));
}

TEST(sendable, is_no_text_that_is_not_utf8) {
    const auto why = refuse_text("message 3", "ab\xFF");
    ASSERT_TRUE(why);
    EXPECT_EQ(why->ec, errc::invalid_prompt);
    EXPECT_EQ(why->diag.client_message, "message 3 is not valid UTF-8 from byte 2 on");
}

TEST(sendable, is_no_prompt_that_ends_inside_a_character) {
    const auto why = refuse_prompt("caf\xC3");
    ASSERT_TRUE(why);
    EXPECT_EQ(why->diag.client_message, "the prompt is not valid UTF-8 from byte 3 on");
}

TEST(sendable, is_a_prompt_up_to_the_bound) {
    std::string prompt(tandem::wire::max_prompt_bytes, 'a');
    EXPECT_FALSE(refuse_prompt(prompt));
    prompt += 'a';
    const auto why = refuse_prompt(prompt);
    ASSERT_TRUE(why);
    EXPECT_EQ(why->ec, errc::invalid_prompt);
    EXPECT_EQ(why->diag.client_message,
              "the prompt has 67108865 bytes; at most 67108864 can be sent");
}

}  // namespace
