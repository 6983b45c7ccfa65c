#include "segment/segment_text.hpp"

#include <gtest/gtest.h>

namespace {

using tandem::command::sentence_lines;

TEST(segment_text, has_a_line_for_each_sentence) {
    EXPECT_EQ(sentence_lines({"Hi.", " You.", "\n\nOk. "}), "Hi.\nYou.\nOk.\n");
}

TEST(segment_text, shows_line_breaks_as_one_space) {
    EXPECT_EQ(sentence_lines({"It\nis\r\none\xE2\x80\xA8 and two."}), "It is one  and two.\n");
}

TEST(segment_text, has_no_line_for_white_space) {
    EXPECT_EQ(sentence_lines({"\n", "", " \t"}), "");
    EXPECT_EQ(sentence_lines({}), "");
}

TEST(segment_text, keeps_spaces_and_characters_inside) {
    EXPECT_EQ(sentence_lines({"a  b\tc \xF0\x9F\x98\x80"}), "a  b\tc \xF0\x9F\x98\x80\n");
}

TEST(segment_text, cannot_steer_a_terminal) {
    EXPECT_EQ(sentence_lines({"\x1B[2J\xC2\x9B\xFF."}),
              "\xEF\xBF\xBD[2J\xEF\xBF\xBD\xEF\xBF\xBD.\n");
}

}  // namespace
