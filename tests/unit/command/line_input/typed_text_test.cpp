#include "line_input/typed_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tandem::command {
namespace {

struct typed_text_row {
    std::string typed;
    std::string text;
};

class typed_text : public ::testing::TestWithParam<typed_text_row> {};

TEST_P(typed_text, has_no_escape_sequences_and_no_control_characters) {
    EXPECT_EQ(strip_controls(GetParam().typed), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    rows, typed_text,
    ::testing::Values(typed_text_row{"plain", "plain"},  //
                      typed_text_row{"", ""},
                      typed_text_row{"h\xC3\xA9 \xF0\x9F\xA6\x8A", "h\xC3\xA9 \xF0\x9F\xA6\x8A"},
                      typed_text_row{"\x1b[A\x1b[Dx", "x"}, typed_text_row{"a\x1b[1;5Cb", "ab"},
                      typed_text_row{"\x1bOPx", "x"}, typed_text_row{"\x1b[31mred\x1b[0m", "red"},
                      typed_text_row{"\x1b]0;title\x07text", "text"},
                      typed_text_row{"\x1b]8;;http://a\x1b\\link", "link"},
                      typed_text_row{"\x1bP1$r0m\x1b\\x", "x"},
                      typed_text_row{"\x1b]no end", "no end"}, typed_text_row{"\x1b(Bx", "x"},
                      typed_text_row{"x\x1b", "x"}, typed_text_row{"x\x1b[", "x"},
                      typed_text_row{"x\x1b[12", "x12"}, typed_text_row{"\x1b\x1b[Ax", "x"},
                      typed_text_row{"\x1b[3\xC3\xA9", "\xC3\xA9"},
                      typed_text_row{"a\x07\x08\x7f"
                                     "b",
                                     "ab"},
                      typed_text_row{"a\xC2\x9B"
                                     "b",
                                     "ab"},
                      typed_text_row{std::string("a\0b", 3), "ab"}, typed_text_row{"a\tb", "a\tb"},
                      typed_text_row{"a\r\nb\rc\nd", "a\nb\nc\nd"},
                      typed_text_row{"bad \xFF", "bad \xFF"}));

TEST(the_end_of_typed_text, may_go_without_line_breaks) {
    EXPECT_EQ(strip_line_breaks("a\nb\n\n"), "a\nb");
    EXPECT_EQ(strip_line_breaks("\n"), "");
}

}  // namespace
}  // namespace tandem::command
