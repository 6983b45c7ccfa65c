#include "text/terminal_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <clocale>

namespace {

using tandem::command::count_columns;
using tandem::command::truncate_to_width;
using tandem::command::wrap_text;
using testing::ElementsAre;
using testing::IsEmpty;

// The locale determines the width of characters.
class display_text : public testing::Test {
 protected:
    void SetUp() override { ASSERT_TRUE(std::setlocale(LC_CTYPE, "C.UTF-8")); }
};

TEST_F(display_text, knows_wide_and_combining_characters) {
    EXPECT_EQ(count_columns("abc"), 3);
    EXPECT_EQ(count_columns("明日"), 4);
    EXPECT_EQ(count_columns("e\u0301"), 1);
}

TEST_F(display_text, shows_control_characters_and_bad_bytes_as_replaced) {
    EXPECT_EQ(truncate_to_width("a\x1b[2J\x07\xFFz", 80), "a\uFFFD[2J\uFFFD\uFFFDz");
}

TEST_F(display_text, is_not_copied_for_each_character) {
    const std::string prompt(1 << 22, 'a');
    EXPECT_EQ(truncate_to_width(prompt, 1 << 30), prompt);
}

TEST_F(display_text, is_shortened_to_the_width) {
    EXPECT_EQ(truncate_to_width("abcdef", 6), "abcdef");
    EXPECT_EQ(truncate_to_width("abcdefg", 6), "abcde…");
    EXPECT_EQ(truncate_to_width("明日は", 5), "明日…");
    EXPECT_EQ(truncate_to_width("a\nb\tc", 9), "a b c");
}

TEST_F(display_text, is_wrapped_at_spaces) {
    EXPECT_THAT(wrap_text("one two three", 8), ElementsAre("one two", "three"));
    EXPECT_THAT(wrap_text("one two", 7), ElementsAre("one two"));
}

TEST_F(display_text, keeps_numbers_and_their_units_together) {
    EXPECT_THAT(wrap_text("cache hit 96 % of it", 12), ElementsAre("cache hit", "96 % of it"));
    EXPECT_THAT(wrap_text("after 1.2 s, then", 9), ElementsAre("after", "1.2 s,", "then"));
    EXPECT_THAT(wrap_text("3 min 20 s", 8), ElementsAre("3 min", "20 s"));
    EXPECT_THAT(wrap_text("it has 96 tokens", 9), ElementsAre("it has 96", "tokens"));
}

TEST_F(display_text, parts_a_number_from_its_unit_if_a_line_cannot_have_both) {
    EXPECT_THAT(wrap_text("a 12345 min", 7), ElementsAre("a 12345", "min"));
    EXPECT_THAT(wrap_text("12345 ms", 6), ElementsAre("12345", "ms"));
}

TEST_F(display_text, keeps_its_own_lines) {
    EXPECT_THAT(wrap_text("a \n\nb\n", 8), ElementsAre("a", "", "b"));
}

TEST_F(display_text, breaks_between_wide_characters) {
    EXPECT_THAT(wrap_text("明日は晴れ", 5), ElementsAre("明日", "は晴", "れ"));
}

TEST_F(display_text, breaks_a_word_that_is_too_long) {
    EXPECT_THAT(wrap_text("ab cdefghijk", 4), ElementsAre("ab", "cdef", "ghij", "k"));
}

TEST_F(display_text, has_no_lines_if_there_is_no_text) {
    EXPECT_THAT(wrap_text("", 8), IsEmpty());
    EXPECT_THAT(wrap_text("  ", 8), IsEmpty());
}

}  // namespace
