#include "text/chunks/word_pieces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace {

using tandem::text::word_pieces;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(word_pieces, are_words_and_marks_with_the_white_space_before_them) {
    EXPECT_THAT(word_pieces("So it  is.\n(Yes 3.5 "),
                ElementsAre("So", " it", "  is", ".", "\n(", "Yes", " 3", ".", "5", " "));
}

TEST(word_pieces, of_long_words_are_parts_of_eight_characters) {
    EXPECT_THAT(word_pieces("abcdefghij k"), ElementsAre("abcdefgh", "ij", " k"));
    EXPECT_THAT(word_pieces("日本語日本語日本語日"), ElementsAre("日本語日本語日本", "語日"));
}

TEST(word_pieces, of_nothing_are_none) {
    EXPECT_THAT(word_pieces(""), IsEmpty());
}

}  // namespace
