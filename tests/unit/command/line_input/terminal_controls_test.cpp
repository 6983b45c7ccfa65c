#include "line_input/terminal_controls.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tandem::command {
namespace {

struct controls_row {
    std::string typed;
    std::string text;
};

class typed_text_without_controls : public ::testing::TestWithParam<controls_row> {};

TEST_P(typed_text_without_controls, has_no_escape_sequences_and_no_control_characters) {
    EXPECT_EQ(strip_controls(GetParam().typed), GetParam().text);
}

INSTANTIATE_TEST_SUITE_P(
    rows, typed_text_without_controls,
    ::testing::Values(controls_row{"plain", "plain"},  //
                      controls_row{"", ""},
                      controls_row{"h\xC3\xA9 \xF0\x9F\xA6\x8A", "h\xC3\xA9 \xF0\x9F\xA6\x8A"},
                      controls_row{"\x1b[A\x1b[Dx", "x"}, controls_row{"a\x1b[1;5Cb", "ab"},
                      controls_row{"\x1bOPx", "x"}, controls_row{"\x1b[31mred\x1b[0m", "red"},
                      controls_row{"\x1b]0;title\x07text", "text"},
                      controls_row{"\x1b]8;;http://a\x1b\\link", "link"},
                      controls_row{"\x1bP1$r0m\x1b\\x", "x"}, controls_row{"\x1b]no end", "no end"},
                      controls_row{"\x1b(Bx", "x"}, controls_row{"x\x1b", "x"},
                      controls_row{"x\x1b[", "x"}, controls_row{"x\x1b[12", "x12"},
                      controls_row{"\x1b\x1b[Ax", "x"}, controls_row{"\x1b[3\xC3\xA9", "\xC3\xA9"},
                      controls_row{"a\x07\x08\x7f"
                                   "b",
                                   "ab"},
                      controls_row{"a\xC2\x9B"
                                   "b",
                                   "ab"},
                      controls_row{std::string("a\0b", 3), "ab"}, controls_row{"a\tb", "a\tb"},
                      controls_row{"a\r\nb\rc\nd", "a\nb\nc\nd"},
                      controls_row{"bad \xFF", "bad \xFF"}));

TEST(the_end_of_typed_text, may_go_without_line_breaks) {
    EXPECT_EQ(strip_line_breaks("a\nb\n\n"), "a\nb");
    EXPECT_EQ(strip_line_breaks("\n"), "");
}

}  // namespace
}  // namespace tandem::command
